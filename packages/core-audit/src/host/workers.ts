import type { Logger } from 'pino'

/** A background loop that runs `runOnce`, waits and repeats. Any number of replicas can run it. */
export interface Worker {
  readonly name: string
  readonly intervalMs: number
  /** Ends the wait between two cycles early. */
  readonly bell?: Bell
  /**
   * Runs one cycle, and stops between transactions once the signal is aborted. A rejection is logged and ends the cycle,
   * but not the loop. Report failures that do not end the cycle to `logger`; its lines contain the worker's name.
   */
  runOnce(signal: AbortSignal, logger?: Logger): Promise<void>
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

/** The workers that {@link startWorkers} has started. */
export interface RunningWorkers {
  /** Wakes every waiting loop, waits for running transactions, and resolves when all loops have ended. */
  stop(): Promise<void>
}

/** Starts each worker immediately, and again when its bell rings or `intervalMs` have passed since the last cycle ended. */
export function startWorkers(workers: readonly Worker[], logger: Logger): RunningWorkers {
  const stopping = new AbortController()
  const loops = workers.map((worker) => loop(worker, stopping.signal, logger.child({ worker: worker.name })))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function loop(worker: Worker, signal: AbortSignal, logger: Logger): Promise<void> {
  while (!signal.aborted) {
    try {
      await worker.runOnce(signal, logger)
    } catch (error) {
      logger.error({ err: error }, 'The cycle failed; the next one tries again.')
    }
    await pause(worker, signal)
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
