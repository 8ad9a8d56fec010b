import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** A server in a separate process. */
export interface ServerProcess {
  readonly url: string
  /** Returns the resident memory that the process currently uses. */
  residentBytes(): number
  /** Returns the resident memory after garbage collection. Requires `collectsGarbage`. */
  settledBytes(): Promise<number>
  stop(): Promise<void>
}

export interface ServerOptions {
  /** Whether `settledBytes` is available. */
  readonly collectsGarbage?: boolean
}

const collector = new URL('./collect-garbage.ts', import.meta.url)

/** Starts a script and waits for its output line `ready {"url":…}`. Rejects if the script exits before this line. */
export async function startServer(
  script: URL,
  env: Readonly<Record<string, string>>,
  { collectsGarbage = false }: ServerOptions = {},
): Promise<ServerProcess> {
  const child = fork(script, {
    env: { PATH: process.env['PATH'], ...env },
    // The demo and the operating guide also use this flag. Both the host and the bare server run with it.
    execArgv: [
      '--max-semi-space-size=4',
      ...(collectsGarbage ? ['--expose-gc', `--import=${collector.href}`] : []),
    ],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const url = await readyUrl(child)
  return {
    url,
    residentBytes: () => {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
      return Number(kilobytes) * 1024
    },
    async settledBytes() {
      child.send('collect')
      const [bytes] = (await once(child, 'message')) as [number]
      return bytes
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.once('exit', (code) =>
      reject(new Error(`A server exited with ${code} before it was ready:\n${output}`)),
    )
    child.stdout?.on('data', (chunk: Buffer) => {
      output += String(chunk)
      const ready = /^ready (\{.*\})$/m.exec(output)?.[1]
      if (ready !== undefined) resolve((JSON.parse(ready) as { url: string }).url)
    })
  })
}
