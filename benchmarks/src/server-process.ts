import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string
  /** Memory in use by the process now. */
  residentBytes(): number
  /** The same, once what is no longer used has gone. Of a server started with `collectsGarbage`. */
  settledBytes(): Promise<number>
  stop(): Promise<void>
}

export interface ServerOptions {
  /** Whether it can be asked for `settledBytes`. */
  readonly collectsGarbage?: boolean
}

const collector = new URL('./collect-garbage.ts', import.meta.url)

/** Starts a script that prints a line `ready {"url":…}` once it listens. Rejects when it ends before that. */
export async function startServer(
  script: URL,
  env: Readonly<Record<string, string>>,
  { collectsGarbage = false }: ServerOptions = {},
): Promise<ServerProcess> {
  const child = fork(script, {
    env: { PATH: process.env['PATH'], ...env },
    // As the demo and the operating guide start it; both servers alike.
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
      reject(new Error(`A server ended with ${code} before it was ready:\n${output}`)),
    )
    child.stdout?.on('data', (chunk: Buffer) => {
      output += String(chunk)
      const ready = /^ready (\{.*\})$/m.exec(output)?.[1]
      if (ready !== undefined) resolve((JSON.parse(ready) as { url: string }).url)
    })
  })
}
