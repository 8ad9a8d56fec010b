import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string
  /** Memory in use by the process now. */
  residentBytes(): number
  stop(): Promise<void>
}

/** Starts a script that prints a line `ready {"url":…}` once it listens. Rejects when it ends before that. */
export async function startServer(
  script: URL,
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child = fork(script, {
    env: { PATH: process.env['PATH'], ...env },
    // As the demo and the operating guide start it; both servers alike.
    execArgv: ['--max-semi-space-size=4'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const url = await readyUrl(child)
  return {
    url,
    residentBytes: () => {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
      return Number(kilobytes) * 1024
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
