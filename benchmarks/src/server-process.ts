import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../vitest.free-port.ts'
import { cpuMsOf } from './cpu-time.ts'

/** A server in a separate process. */
export interface ServerProcess {
  readonly url: string
  /** Returns the resident memory that the process currently uses. */
  residentBytes(): number
  /** Returns the CPU time that all threads of the process have used. */
  cpuMs(): number
  /** Returns the resident memory after garbage collection. Requires `collectsGarbage`. */
  settledBytes(): Promise<number>
  /** Sends a message to a module of `imports` and resolves with its answer. */
  ask(message: unknown): Promise<unknown>
  /** Resolves with the next message of the process. */
  next(): Promise<unknown>
  stop(): Promise<void>
}

export interface ServerOptions {
  /** Whether `settledBytes` is available. */
  readonly collectsGarbage?: boolean
  /** Modules that the process imports before its script. */
  readonly imports?: readonly URL[]
  /** Whether the process runs the sources of the workspace instead of the built packages. */
  readonly fromSource?: boolean
  readonly args?: readonly string[]
  readonly cwd?: string
}

/** A start takes seconds, also on a busy machine. A server that hangs must not stop the whole run. */
const startLimitMs = 60_000
const collector = new URL('./collect-garbage.ts', import.meta.url)

/** Starts a script and waits for its output line `ready {"url":…}`. Rejects if the script exits before this line. */
export async function startServer(
  script: URL,
  env: Readonly<Record<string, string>>,
  options: ServerOptions = {},
): Promise<ServerProcess> {
  const child = start(script, env, options)
  return toServer(child, await readyUrl(child))
}

/** Starts a script that reads HOST and PORT, and waits until it answers `path`. Rejects if the script exits before. */
export async function startListening(
  script: URL,
  env: Readonly<Record<string, string>>,
  { path, ...options }: ServerOptions & { readonly path: string },
): Promise<ServerProcess> {
  const port = await freePort()
  const child = start(script, { ...env, HOST: '127.0.0.1', PORT: String(port) }, options)
  const url = `http://127.0.0.1:${port}`
  const output = collectOutput(child)
  const untilMs = performance.now() + startLimitMs
  for (;;) {
    if (performance.now() > untilMs) {
      child.kill('SIGKILL')
      throw new Error(`${script.pathname} was not ready in time:\n${output()}`)
    }
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${script.pathname} ended before it was ready:\n${output()}`)
    }
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    )
    await response?.arrayBuffer()
    if (response?.ok) return toServer(child, url)
    await delay(50)
  }
}

/** Runs a script that ends by itself. Rejects with its output if it fails. */
export async function runScript(
  script: URL,
  env: Readonly<Record<string, string>>,
  options: ServerOptions = {},
): Promise<void> {
  const child = start(script, env, options)
  const output = collectOutput(child)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${script.pathname} ended with ${code}:\n${output()}`)
}

/** Servers that have not ended. They must not outlive this process. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function start(script: URL, env: Readonly<Record<string, string>>, options: ServerOptions): ChildProcess {
  const { collectsGarbage = false, imports = [], fromSource = false, args = [], cwd } = options
  const modules = collectsGarbage ? [collector, ...imports] : imports
  const child = fork(script, args, {
    // The image also sets this variable and the first flags; see the operating guide. Every server of a comparison has them.
    env: { PATH: process.env['PATH'], MALLOC_ARENA_MAX: '1', ...env },
    execArgv: [
      ...['--max-semi-space-size=8', '--initial-old-space-size=16', '--heap-growing-percent=60'],
      ...(fromSource ? ['--conditions=@vertical-kit/source'] : []),
      ...(collectsGarbage ? ['--expose-gc'] : []),
      ...modules.map(({ href }) => `--import=${href}`),
    ],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    ...(cwd === undefined ? {} : { cwd }),
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

function toServer(child: ChildProcess, url: string): ServerProcess {
  const next = async (): Promise<unknown> => {
    const [message] = await once(child, 'message')
    return message
  }
  const ask = (message: unknown): Promise<unknown> => {
    const answer = next()
    child.send(message as object)
    return answer
  }
  return {
    url,
    residentBytes: () => {
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
      return Number(kilobytes) * 1024
    },
    cpuMs: () => cpuMsOf(child.pid ?? 0),
    settledBytes: () => ask('collect') as Promise<number>,
    ask,
    next,
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

function collectOutput(child: ChildProcess): () => string {
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    // The last lines explain why a process ended.
    output = (output + String(chunk)).slice(-10_000)
  })
  return () => output
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
