import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Installation, serverEnvironment } from './installation.ts'
import { identifyingArguments } from './orphan.ts'
import type { Watchdog } from './watchdog.ts'

/** `fast` ends sessions and writes a checkpoint; `immediate` acts like a crash, and the next start recovers. */
export type StopMode = 'fast' | 'immediate'

/** A running server program that accepts connections. */
export interface ServerProcess {
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<unknown>
  stop(mode: StopMode): Promise<void>
}

export interface ServerProcessOptions {
  readonly installation: Installation
  readonly dataPath: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
  readonly log: (line: string) => void
  readonly watchdog: Watchdog
}

const startLimitMs = 60_000
const keptLogLines = 20

/** Starts the server and returns when it accepts connections. The event loop can end while the server runs. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { installation, dataPath } = options
  const server = spawn(join(installation.binDirectory, 'postgres'), serverArguments(options), {
    ...installation.account,
    cwd: dataPath,
    env: serverEnvironment,
    // Use a separate process group: Ctrl-C must reach only this process, which then stops the server cleanly.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise((resolve) => {
    server.once('exit', resolve).once('error', resolve)
  })
  options.watchdog.guard(server)
  try {
    await ready(server, options.log)
  } catch (error) {
    server.kill('SIGQUIT')
    await ended
    throw error
  }
  server.unref()
  if (server.stderr instanceof Socket) server.stderr.unref()

  return {
    ended,
    async stop(mode) {
      server.ref()
      server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await ended
    },
  }
}

function serverArguments({ dataPath, port, settings }: ServerProcessOptions): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  }
  return [
    ...identifyingArguments(dataPath, process.pid),
    ...['-p', String(port)],
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

function ready(server: ChildProcess, log: (line: string) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const lastLines: string[] = []
  const fail = (reason: string) =>
    reject(new Error(`PostgreSQL did not start: ${reason}\n${lastLines.join('\n')}`))
  const timer = setTimeout(() => fail(`not ready after ${startLimitMs} ms`), startLimitMs)
  server.once('error', (error) => fail(error.message))
  server.once('close', (code) => fail(`exit code ${code}`))
  if (server.stderr) {
    createInterface(server.stderr).on('line', (line) => {
      log(line)
      lastLines.push(line)
      if (lastLines.length > keptLogLines) lastLines.shift()
      // A standby accepts read-only connections.
      if (/database system is ready to accept (read-only )?connections/.test(line)) resolve()
    })
  }
  return promise.finally(() => clearTimeout(timer))
}
