import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Plan } from './compare.ts'

/** The parsed command line. */
export interface Options {
  readonly plan: Plan
  readonly help: boolean
  readonly peers: boolean
  /** The sizes of a growth run; empty without `--growth`. */
  readonly growth: readonly number[]
  /** The cases to profile; empty without `--profile`. */
  readonly profile: readonly string[]
  /** The file for the results as JSON. */
  readonly json: string | undefined
  /** Whether the results replace those in `docs/performance`. */
  readonly docs: boolean
  /** Whether to create the page again from its JSON files, without a measurement. */
  readonly render: boolean
}

interface OptionHelp {
  readonly value?: string
  readonly text: string
}

const described: Readonly<Record<string, OptionHelp>> = {
  peers: { text: 'adds Directus, graphile-worker, pg-boss and socket.io; installs them on the first run' },
  growth: { value: 'SIZES', text: 'measures the growth instead, for example 10000,1000000' },
  profile: { value: 'CASE', text: 'profiles a case instead, for example "list notes"; can be repeated' },
  only: { value: 'CASE', text: 'runs only the cases whose name begins with CASE; can be repeated' },
  quick: { text: 'short rounds with little data: 3 rounds of 1 s, 2,000 documents. Not for publication' },
  documents: { value: 'N', text: 'documents of the comparison, with 50 notes and 50 files each (20000)' },
  seconds: { value: 'N', text: 'seconds of a round (5)' },
  rounds: { value: 'N', text: 'rounds of each side, A B A B (5)' },
  connections: { value: 'N', text: 'concurrent connections (32)' },
  json: { value: 'FILE', text: 'writes the results with their spread to FILE' },
  docs: { text: 'replaces the figures of this run in docs/performance.md' },
  render: { text: 'creates docs/performance.md again from its JSON files, without a measurement' },
  help: { text: 'prints this text' },
}

/** The description of every option. */
export const help = `pnpm bench [options]

Compares the built host with a bare server and with its targets. The exit code is 0 for any result,
and 1 if a part could not be measured.

${Object.entries(described)
  .map(
    ([name, { value, text }]) =>
      `  ${`--${name}${value === undefined ? '' : ` ${value}`}`.padEnd(18)}${text}`,
  )
  .join('\n')}
`

const repeated = new Set(['only', 'profile'])
const config = {
  options: Object.fromEntries(
    Object.entries(described).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: repeated.has(name) },
    ]),
  ) as NonNullable<ParseArgsConfig['options']>,
}

/**
 * Parses the command line.
 * @throws {TypeError} naming an unknown option or a value that is not a positive whole number
 */
export function readOptions(argv: readonly string[]): Options {
  // `pnpm run bench -- --only execute` also passes `--` to this script.
  const { values } = parseArgs({ ...config, args: argv.filter((argument) => argument !== '--') })
  const text = (name: string): string | undefined => values[name] as string | undefined
  const list = (name: string): readonly string[] => (values[name] as string[] | undefined) ?? []
  const isOn = (name: string): boolean => values[name] === true
  const number = (name: string, usual: number, quick: number): number =>
    wholeNumber(name, text(name) ?? String(isOn('quick') ? quick : usual))
  const only = list('only')
  return {
    plan: {
      documents: number('documents', 20_000, 2_000),
      rounds: number('rounds', 5, 3),
      load: { connections: number('connections', 32, 32), seconds: number('seconds', 5, 1) },
      isChosen: (name) => only.length === 0 || only.some((start) => name.startsWith(start)),
    },
    help: isOn('help'),
    peers: isOn('peers'),
    growth: (text('growth')?.split(',') ?? []).map((size) => wholeNumber('growth', size)),
    profile: list('profile'),
    json: text('json'),
    docs: isOn('docs'),
    render: isOn('render'),
  }
}

/** Parses the value of an option. @throws {TypeError} naming the option if the value is not a positive whole number */
export function wholeNumber(name: string, text: string): number {
  if (!/^[1-9][0-9]{0,9}$/.test(text))
    throw new TypeError(`--${name}: expected a positive whole number, not ${text}`)
  return Number(text)
}
