import type { Logger } from 'pino'

/** A loop in the background: `runOnce`, wait, again. Any number of replicas may run the same one. */
export interface Worker {
  readonly name: string
  readonly intervalMs: number
  /** Ends the wait between two cycles early. */
  readonly bell?: Bell
  /**
   * One cycle. Stops between transactions once the signal is aborted. Rejecting ends the cycle, not the loop, and is
   * logged; what a cycle survives it tells the logger, which names the worker.
   */
  runOnce(signal: AbortSignal, logger?: Logger): Promise<void>
}

/** Wakes one loop. A ring while it does not wait is kept: it begins another cycle at once, one for any number of rings. */
export interface Bell {
  ring(): void
  /** Calls `wake` with the next ring, or now when one was kept. Answers how to stop listening. */
  listen(wake: () => void): () => void
}

/** A bell that nobody has rung. */
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

/** Running workers. */
export interface RunningWorkers {
  /** Wakes every waiting loop, lets the running transactions finish, resolves when all loops have ended. */
  stop(): Promise<void>
}

/** Starts each worker at once, then again `intervalMs` after a cycle ended, failed or not, or when its bell rings. */
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

/** Waits the interval, less when the bell rings; not at all once the signal is aborted. */
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
