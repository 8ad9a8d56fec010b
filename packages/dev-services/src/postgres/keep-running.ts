import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from './server-process.ts'

/**
 * The pauses before the attempts to start a server again, 60 s in total. The processes of a killed server keep its shared
 * memory until they notice that it ended, and a start fails until then. An idle process notices at once, a long statement late.
 */
const defaultPausesMs = [100, 400, 1_500, 3_000, 5_000, 10_000, 20_000, 20_000]

export interface KeepRunningOptions {
  start(): Promise<ServerProcess>
  /** Receives one line when the server runs again, or after the last failed attempt. */
  readonly log: (line: string) => void
  readonly pausesMs?: readonly number[]
}

/**
 * Starts the server again whenever its process ends before `stop` is called. The returned server ends when it is stopped,
 * or when the last attempt to start it again has failed.
 */
export function keepRunning(
  first: ServerProcess,
  { start, log, pausesMs = defaultPausesMs }: KeepRunningOptions,
): ServerProcess {
  const stopping = new AbortController()
  const { signal } = stopping
  let current: Promise<ServerProcess | undefined> = Promise.resolve(first)

  /** Returns undefined if `stop` is called before an attempt, or all attempts fail. */
  async function startAgain(): Promise<ServerProcess | undefined> {
    let reason = ''
    for (const pauseMs of pausesMs) {
      const isStopping = await delay(pauseMs, false, { signal, ref: false }).catch(() => true)
      if (isStopping) return undefined
      const server = await start().catch((error: unknown) => {
        reason = reasonOf(error)
      })
      if (!server) continue
      log('PostgreSQL ended unexpectedly and was started again.')
      return server
    }
    log(`PostgreSQL ended unexpectedly. ${pausesMs.length} attempts to start it again failed: ${reason}`)
    return undefined
  }

  async function keep(): Promise<void> {
    for (let server = await current; server !== undefined; server = await current) {
      await server.ended
      if (signal.aborted) return
      current = startAgain()
    }
  }

  const ended = keep()
  return {
    ended,
    async stop(mode) {
      stopping.abort()
      // A start that is in progress completes first.
      await (await current)?.stop(mode)
      await ended
    },
  }
}

/** Returns the line of the server's log that says why it did not start, or the first line of another error. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return /FATAL: +(.*)/.exec(text)?.[1] ?? text.split('\n', 1).join()
}
