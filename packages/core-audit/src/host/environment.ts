import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** The environment variables of a process, in the shape of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Thrown once, with all problems. Each problem is one line, which names the key and never contains a value. */
export class ConfigurationError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n${problems.join('\n')}`)
    this.name = 'ConfigurationError'
    this.problems = problems
  }
}

/** The exit status of a host with an invalid configuration (EX_CONFIG of sysexits.h). */
export const configurationExitCode = 78

interface Bounds {
  readonly default: number
  readonly min: number
  readonly max: number
}

/**
 * Reads configuration keys. For an invalid value, it records a problem and returns the default, so that one start reports
 * every problem. Durations have the form `[d.]hh:mm:ss` and are returned in milliseconds.
 *
 * The value of a text key can also come from a file: `KEY_FILE` is its path, as Docker and Kubernetes mount secrets. The line
 * break at the end of the file is not part of the value.
 */
export interface EnvironmentReader {
  string(key: string, options?: { default?: string; pattern?: RegExp; expected?: string }): string
  /** Like `string`, without a default: an absent or blank key is a problem. */
  required(key: string, options?: { pattern?: RegExp; expected?: string }): string
  /**
   * Returns a function that returns the current value of a text key, or `undefined` if the key is absent. Each call of the
   * function reads the file of `KEY_FILE` again, so the secret can change while the host runs.
   */
  secret(key: string): (() => Promise<string>) | undefined
  integer(key: string, bounds: Bounds): number
  boolean(key: string, options: { default: boolean }): boolean
  durationMs(key: string, bounds: Bounds): number
  /** Returns every variable with a prefix, in upper or lower case, as `[key, value]`. */
  below(prefix: string): readonly (readonly [key: string, value: string])[]
  /** Marks keys as known even if they are not read, so that they are not reported as unknown. */
  allow(...keys: readonly string[]): void
  problem(key: string, message: string): void
}

/**
 * Parses an environment with `read` and freezes the result. A key of a known section (`Notes__…`) that is not read is also
 * a problem, because a misspelt key must not silently select the default.
 *
 * @throws {ConfigurationError} with all problems
 */
export function readConfiguration<T>(environment: Environment, read: (env: EnvironmentReader) => T): T {
  const problems: string[] = []
  const reader = createReader(environment, problems)
  try {
    const config = read(reader.env)
    problems.push(...unknownKeys(environment, reader.known))
    if (problems.length === 0) return freeze(config)
  } catch (error) {
    // After a problem, `read` continues with placeholder values, which can cause this error. Report only the problem.
    if (problems.length === 0) throw error
  }
  throw new ConfigurationError(problems)
}

/** Freezes options recursively, so that code cannot change them while the host runs. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  // Skip objects such as a Map or a URL: freezing does not protect their contents.
  if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}

function createReader(environment: Environment, problems: string[]) {
  const known = new Set<string>()
  const value = (key: string): string | undefined => {
    known.add(key)
    const raw = environment[key]?.trim()
    return raw === '' ? undefined : raw
  }
  const problem = (key: string, message: string) => {
    const line = `${key}: ${message}`
    // A key can be read several times.
    if (!problems.includes(line)) problems.push(line)
  }
  /** Returns the value of a key or of the file that `KEY_FILE` names. */
  const text = (key: string): string | undefined => {
    const [raw, path] = [value(key), value(`${key}_FILE`)]
    if (path === undefined) return raw
    if (raw !== undefined) problem(`${key}_FILE`, `${key} is also set; set only one of them`)
    try {
      const content = withoutLineBreak(readFileSync(path, 'utf8'))
      if (content.trim() !== '') return content
      problem(`${key}_FILE`, 'the file is empty')
    } catch {
      problem(`${key}_FILE`, 'the file cannot be read')
    }
    return undefined
  }
  const matching = (key: string, raw: string, options: { pattern?: RegExp; expected?: string }) => {
    if (options.pattern !== undefined && !options.pattern.test(raw)) {
      problem(key, `expected ${options.expected ?? `text like ${options.pattern.source}`}`)
    }
    return raw
  }

  const env: EnvironmentReader = {
    string: (key, options = {}) => matching(key, text(key) ?? options.default ?? '', options),
    required(key, options = {}) {
      const raw = text(key)
      if (raw !== undefined) return matching(key, raw, options)
      // A file without a value is already reported.
      if (value(`${key}_FILE`) === undefined) problem(key, 'is required')
      return ''
    },
    secret(key) {
      const path = value(`${key}_FILE`)
      const first = text(key)
      if (path !== undefined) return async () => withoutLineBreak(await readFile(path, 'utf8'))
      return first === undefined ? undefined : async () => first
    },
    integer(key, bounds) {
      const raw = value(key)
      if (raw === undefined) return bounds.default
      const number = /^-?\d{1,16}$/.test(raw) ? Number(raw) : Number.NaN
      if (number >= bounds.min && number <= bounds.max) return number
      problem(key, `expected a whole number from ${bounds.min} to ${bounds.max}`)
      return bounds.default
    },
    boolean(key, options) {
      const raw = value(key)
      if (raw === undefined) return options.default
      const parsed = parseBoolean(raw)
      if (parsed === undefined) problem(key, 'expected true or false')
      return parsed ?? options.default
    },
    durationMs(key, bounds) {
      const raw = value(key)
      if (raw === undefined) return bounds.default
      const ms = parseDurationMs(raw)
      if (ms !== undefined && ms >= bounds.min && ms <= bounds.max) return ms
      const range = `${formatDuration(bounds.min)} to ${formatDuration(bounds.max)}`
      problem(key, `expected a duration [d.]hh:mm:ss from ${range}`)
      return bounds.default
    },
    below(prefix) {
      const found: (readonly [string, string])[] = []
      for (const [key, raw] of Object.entries(environment)) {
        if (raw === undefined || !key.toLowerCase().startsWith(prefix.toLowerCase())) continue
        known.add(key)
        found.push([key, raw])
      }
      return found
    },
    allow: (...keys) => {
      for (const key of keys) known.add(key).add(`${key}_FILE`)
    },
    problem,
  }
  return { env, known }
}

const withoutLineBreak = (content: string): string => content.replace(/\r?\n$/, '')

/** Returns unknown keys of our sections (`Section__…`). A plain key such as `PORT` can belong to another program. */
function unknownKeys(environment: Environment, known: ReadonlySet<string>): readonly string[] {
  const sections = new Set(
    [...known]
      .filter((key) => key.includes('__'))
      .map((key) => key.slice(0, key.indexOf('__')).toLowerCase()),
  )
  const byLowerCase = new Map([...known].map((key) => [key.toLowerCase(), key]))
  return Object.keys(environment)
    .filter((key) => environment[key] !== undefined && key.includes('__') && !known.has(key))
    .filter((key) => sections.has(key.slice(0, key.indexOf('__')).toLowerCase()))
    .map((key) => {
      const meant = byLowerCase.get(key.toLowerCase())
      return meant === undefined ? `${key}: unknown key` : `${key}: unknown key; did you mean ${meant}?`
    })
}

/** Parses `true` and `false` in any case; returns `undefined` for other text. */
function parseBoolean(raw: string): boolean | undefined {
  const lower = raw.trim().toLowerCase()
  return lower === 'true' ? true : lower === 'false' ? false : undefined
}

/** Parses `[d.]hh:mm:ss` into milliseconds; returns `undefined` for other text. */
export function parseDurationMs(raw: string): number | undefined {
  const match = /^(?:(\d{1,5})\.)?([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/.exec(raw)
  if (match === null) return undefined
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0))
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
}

/** Formats milliseconds as `[d.]hh:mm:ss`. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  const days = Math.floor(seconds / 86_400)
  const time = `${two(Math.floor(seconds / 3600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return days === 0 ? time : `${days}.${time}`
}
