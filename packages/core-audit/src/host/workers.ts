import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { SQL } from '../database/sql.ts'

/** A background loop that runs `runOnce`, waits and repeats. Any number of replicas can run it. */
export interface Worker {
  readonly name: string
  readonly intervalMs: number
  /** Ends the wait between two cycles early. */
  readonly bell?: Bell
  /**
   * For a tenant that is closed: an expression of type `timestamptz` with the time from which a cycle has work, or NULL if
   * there is none. It is part of a larger statement, so it must be cheap: use an index. `null` means that the worker is only
   * needed while the tenant is open. When absent, the tenant is opened for the worker every `intervalMs`.
   */
  readonly dueAt?: SQL<string | null> | null
  /** For an idle tenant: keeps it open during a cycle, because a cycle can take minutes and the closing would abort it. */
  readonly keepsTenantOpen?: boolean
  /**
   * Runs one cycle, and stops between transactions once the signal is aborted. A rejection is logged and ends the cycle,
   * but not the loop. Report failures that do not end the cycle to `logger`; its lines contain the worker's name.
   */
  runOnce(signal: AbortSignal, logger?: Logger): Promise<void>
  /**
   * Runs once after the last cycle, when the host stops or the tenant closes, within the `graceMs` of the host. For what a cycle
   * postpones to a later one. It must not use the database: that of a tenant closes without waiting for it. A rejection
   * counts as a failed cycle.
   */
  finish?(logger: Logger): Promise<void>
}

/** Wakes one loop. If it rings while the loop is busy, even several times, one more cycle starts immediately afterwards. */
export interface Bell {
  ring(): void
  /**
   * Calls `wake` at the next ring, or immediately if the bell rang while no loop listened. Returns a function that stops
   * listening.
   */
  listen(wake: () => void): () => void
}

/** Creates a bell that has not rung yet. */
export function createBell(): Bell {
  let isKept = false
  let waiting: (() => void) | undefined
  return {
    ring() {
      isKept = waiting === undefined
      waiting?.()
    },
    listen(wake) {
      if (isKept) {
        isKept = false
        wake()
        return () => {}
      }
      waiting = wake
      return () => {
        waiting = undefined
      }
    },
  }
}

/**
 * Maximum time for everything in progress when a host closes. Together with the default shutdown delay, a stop takes less than
 * the 10 s that orchestrators usually wait.
 */
export const defaultGraceMs = 4_000

/** The workers that {@link startWorkers} has started. */
export interface RunningWorkers {
  /** Resolves when every worker has completed a cycle. */
  readonly cycled: Promise<unknown>
  /** Whether a worker that keeps its tenant open is in a cycle. */
  readonly keepsTenantOpen: boolean
  /** Resolves after `stop`, when the last cycle of every worker has ended. `finish` can still run. */
  readonly ended: Promise<unknown>
  /**
   * Wakes every waiting loop, waits for running transactions, and resolves when all loops have ended. After `graceMs`, it logs
   * the names of the workers that still run, and resolves without them: a handler of an application can hang.
   */
  stop(graceMs?: number): Promise<void>
}

/**
 * The intervals of the workers whose last cycle failed or did not end in time, by the name of the worker. Workers that are only
 * needed while a tenant is open do not count.
 */
export type FailingWorkers = Map<string, number>

/**
 * Starts each worker immediately, and again when its bell rings or `intervalMs` have passed since the last cycle ended. A tenant
 * keeps `failing` while it is closed: a worker stays in it until one of its cycles succeeds.
 */
export function startWorkers(
  workers: readonly Worker[],
  logger: Logger,
  failing: FailingWorkers = new Map(),
): RunningWorkers {
  const stopping = new AbortController()
  const { signal } = stopping
  const working = new Set<Loop>()
  const names = new Set(workers.map(({ name }) => name))
  for (const name of failing.keys()) if (!names.has(name)) failing.delete(name)
  const loops = workers.map((worker): Loop => {
    return { worker, signal, logger: logger.child({ worker: worker.name }), working, failing }
  })
  const cycled = loops.map(cycle)
  const running = new Set(workers)
  const ended = loops.map((loop, index) => repeat(loop, cycled[index]))
  const finished = loops.map(async (loop, index) => {
    await ended[index]
    await finish(loop)
    running.delete(loop.worker)
  })
  return {
    cycled: Promise.all(cycled),
    ended: Promise.all(ended),
    get keepsTenantOpen() {
      return [...working].some(({ worker }) => worker.keepsTenantOpen === true)
    },
    async stop(graceMs = defaultGraceMs) {
      stopping.abort()
      const late = delay(graceMs, undefined, { ref: false })
      await Promise.race([Promise.all(finished), late])
      if (running.size === 0) return
      for (const worker of running) noteFailure(failing, worker)
      logger.warn({ workers: [...running].map(({ name }) => name) }, 'Workers did not stop in time.')
    },
  }
}

interface Loop {
  readonly worker: Worker
  readonly signal: AbortSignal
  readonly logger: Logger
  /** The loops of the same workers that are in a cycle. */
  readonly working: Set<Loop>
  readonly failing: FailingWorkers
}

const noteFailure = (failing: FailingWorkers, { name, intervalMs, dueAt }: Worker): void => {
  if (dueAt !== null) failing.set(name, intervalMs)
}

const cycle = (loop: Loop): Promise<void> =>
  attempt(
    loop,
    'The cycle failed; the next one tries again.',
    async ({ worker, signal, logger, failing }) => {
      await worker.runOnce(signal, logger)
      // An aborted cycle may have left its work.
      if (!signal.aborted) failing.delete(worker.name)
    },
  )

const finish = (loop: Loop): Promise<void> =>
  attempt(loop, 'The last step failed; the next start tries again.', async ({ worker, logger }) =>
    worker.finish?.(logger),
  )

async function attempt(loop: Loop, failureText: string, act: (loop: Loop) => Promise<void>): Promise<void> {
  const { worker, logger, working, failing } = loop
  working.add(loop)
  try {
    await act(loop)
  } catch (error) {
    noteFailure(failing, worker)
    logger.error({ err: error }, failureText)
  } finally {
    working.delete(loop)
  }
}

async function repeat(loop: Loop, first: Promise<void> | undefined): Promise<void> {
  await first
  for (;;) {
    await pause(loop.worker, loop.signal)
    if (loop.signal.aborted) return
    await cycle(loop)
  }
}

/** Waits for the interval or the bell. Returns immediately once the signal is aborted. */
function pause({ intervalMs, bell }: Worker, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    let stopListening = () => {}
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      stopListening()
      resolve()
    }
    const timer = setTimeout(end, intervalMs)
    signal.addEventListener('abort', end)
    if (bell !== undefined) stopListening = bell.listen(end)
  })
}
