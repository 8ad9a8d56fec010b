import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

// An example migrates and listens within a second or two. The limit is below that of a test (vitest.shared.ts), so
// that what is heard of an example that hangs is what it said, and not only that time is up.
const readyLimitMs = 100_000

/** An example, of a README or in a file of its own, that runs in its own process. */
export interface ReadmeExample {
  /** The address it printed: `ready http://127.0.0.1:…`. */
  readonly url: string
  /** Asks it to end (SIGTERM); resolves with its exit code and the signal that ended it, once it has. */
  stop(): Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>
}

type Settings = Readonly<Record<string, string>>

/**
 * Runs the first `ts` block of a package's README, word for word, over the package's sources and with nothing in its
 * environment but these settings; resolves once it says that it is ready. It ends with the test, whatever comes of it.
 *
 * @param packageFolder `new URL('..', import.meta.url)`, with the slash at its end: where the README is
 * @throws {Error} with everything the example said, when it ends before it is ready or is not within 100 seconds
 */
export async function startReadmeExample(packageFolder: URL, settings: Settings): Promise<ReadmeExample> {
  const readme = new URL('README.md', packageFolder)
  const source = await readExample(readme)
  const argv = ['--input-type=module-typescript', '--eval', source]
  return start({ name: fileURLToPath(readme), folder: packageFolder, argv, settings })
}

/** Runs a file as {@link startReadmeExample} runs a block. */
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
  // Read to the end, also after it is ready: an example whose pipe is full stands still.
  const said: string[] = []
  createInterface(child.stderr).on('line', (line) => said.push(line))
  createInterface(child.stdout).on('line', (line) => {
    said.push(line)
    if (line.startsWith('ready ')) ready.resolve(line.slice('ready '.length))
  })
  const complain = (problem: string) =>
    ready.reject(new Error(`The example of ${name} ${problem}. It said:\n${said.join('\n')}`))
  ended.then(
    ([code, signal]) => complain(`ended before it was ready (${signal ?? `exit code ${code}`})`),
    ready.reject,
  )
  const limit = setTimeout(
    () => complain(`was not ready after ${readyLimitMs / 1_000} seconds`),
    readyLimitMs,
  )
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
  if (example === undefined) throw new Error(`${fileURLToPath(readme)} shows no example in TypeScript`)
  return example
}
