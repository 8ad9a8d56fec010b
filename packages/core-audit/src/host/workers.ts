import type { Logger } from 'pino'

/** A background loop: `runOnce`, wait, repeat. Any number of replicas can run it. */
export interface Worker {
  readonly name: string
  readonly intervalMs: number
  /** Ends the wait between two cycles early. */
  readonly bell?: Bell
  /**
   * Runs one cycle. Stops between transactions once the signal is aborted. A rejection ends the cycle, not the loop, and is
   * logged. Failures that the cycle survives go to `logger`, which names the worker.
   */
  runOnce(signal: AbortSignal, logger?: Logger): Promise<void>
}

/** Wakes one loop. Rings while the loop is busy are kept: together they start one more cycle immediately afterwards. */
export interface Bell {
  ring(): void
  /** Calls `wake` with the next ring, or now if a ring was kept. Returns a function that stops listening. */
  listen(wake: () => void): () => void
}

/** Creates a bell without a kept ring. */
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
  /** Wakes every waiting loop, waits for running transactions, and resolves when all loops have ended. */
  stop(): Promise<void>
}

/** Starts each worker immediately, and again when its bell rings or `intervalMs` after a cycle ended or failed. */
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
