import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

// An example usually listens within two seconds. The limit is lower than the test timeout (vitest.execution.ts), so if an
// example hangs, the error contains its output.
const readyLimitMs = 100_000

/** A running example of a README or of a file. It runs in a separate process. */
export interface ReadmeExample {
  /** The URL that the example printed in a line such as `ready http://127.0.0.1:…`. */
  readonly url: string
  /** Stops the example with SIGTERM. Resolves with the exit code and the signal when the example has ended. */
  stop(): Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>
}

type Settings = Readonly<Record<string, string>>

/**
 * Runs the first `ts` block of a package's README unchanged, on the package's sources. The environment of the example
 * contains only `PATH` and these settings. Resolves when the example is ready, and kills the example after the test.
 *
 * @param packageFolder the folder of the README with a trailing slash: `new URL('..', import.meta.url)`
 * @throws {Error} with the output of the example, if the example ends early or is not ready within 100 seconds
 */
export async function startReadmeExample(packageFolder: URL, settings: Settings): Promise<ReadmeExample> {
  const readme = new URL('README.md', packageFolder)
  const source = await readExample(readme)
  const argv = ['--input-type=module-typescript', '--eval', source]
  return start({ name: fileURLToPath(readme), folder: packageFolder, argv, settings })
}

/** Runs a file in the same way as {@link startReadmeExample} runs a block. */
export function startExample(file: URL, settings: Settings): Promise<ReadmeExample> {
  const path = fileURLToPath(file)
  return start({ name: path, folder: new URL('.', file), argv: [path], settings })
}

interface Start {
  readonly name: string
  readonly folder: URL
  readonly argv: readonly string[]
  readonly settings: Settings
}

async function start({ name, folder, argv, settings }: Start): Promise<ReadmeExample> {
  const child = spawn(process.execPath, ['--conditions=@vertical-kit/source', ...argv], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })

  const ready = Promise.withResolvers<string>()
  // Read all output, even after the example is ready, because a full pipe would block the example.
  const output: string[] = []
  createInterface(child.stderr).on('line', (line) => output.push(line))
  createInterface(child.stdout).on('line', (line) => {
    output.push(line)
    if (line.startsWith('ready ')) ready.resolve(line.slice('ready '.length))
  })
  const fail = (problem: string) =>
    ready.reject(new Error(`The example of ${name} ${problem}. Its output:\n${output.join('\n')}`))
  ended.then(
    ([code, signal]) => fail(`ended before it was ready (${signal ?? `exit code ${code}`})`),
    ready.reject,
  )
  const limit = setTimeout(() => fail(`was not ready after ${readyLimitMs / 1_000} seconds`), readyLimitMs)
  try {
    const url = await ready.promise
    return {
      url,
      stop() {
        child.kill('SIGTERM')
        return ended
      },
    }
  } finally {
    clearTimeout(limit)
  }
}

async function readExample(readme: URL): Promise<string> {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(await readFile(readme, 'utf8')) ?? []
  if (example === undefined) throw new Error(`${fileURLToPath(readme)} contains no TypeScript example`)
  return example
}
