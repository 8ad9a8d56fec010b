import type { Logger } from 'pino'

/** A loop in the background: `runOnce`, wait, again. Any number of replicas may run the same one. */
export interface Worker {
  readonly name: string
  readonly intervalMs: number
  /**
   * One cycle. Stops between transactions once the signal is aborted. Rejecting ends the cycle, not the loop, and is
   * logged; what a cycle survives it tells the logger, which names the worker.
   */
  runOnce(signal: AbortSignal, logger?: Logger): Promise<void>
}

/** Running workers. */
export interface RunningWorkers {
  /** Wakes every waiting loop, lets the running transactions finish, resolves when all loops have ended. */
  stop(): Promise<void>
}

/** Starts each worker at once, then again every `intervalMs` after a cycle ended, whether it failed or not. */
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
    await pause(worker.intervalMs, signal)
  }
}

/** Waits, or stops waiting at once when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
