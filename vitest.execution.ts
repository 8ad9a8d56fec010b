import { availableParallelism } from 'node:os'
import { ForksPoolWorker, type PoolOptions, type PoolWorker } from 'vitest/node'

// A file takes seconds, half a minute on a machine that is busy with something else. Counted in ticks: a machine that
// was suspended meanwhile has not used up the time.
const tickMs = 10_000
const limitTicks = 60

/**
 * vitest's worker processes, with an end: a file that has not finished after ten minutes has failed, and its worker is
 * killed. vitest bounds tests and hooks from within the worker; it waits for ever for a file that hangs while it is
 * loaded, and for one whose worker is too busy to notice the time.
 */
const forksWithLimit = { name: 'forks-with-limit', createPoolWorker }

/** How every project runs its files. */
export const execution = {
  pool: forksWithLimit,
  // A worker goes on with the next file of its project, with the modules that it has loaded: half of what most files
  // take is loading them.
  isolate: false,
  // One more than cores: files wait for servers and processes as well as compute. Four at most, however many cores a
  // machine shows: each worker has connections, servers and processes of its own, and the cores of a container are often
  // other containers' too.
  maxWorkers: Math.min(4, availableParallelism() + 1),
  // Guards against what never ends, and no statement of how fast anything is: a machine may be busy with much else.
  testTimeout: 120_000,
  hookTimeout: 240_000,
}

function createPoolWorker(options: PoolOptions): PoolWorker {
  const worker = new ForksPoolWorker(options)
  const listeners = new Set<(error: Error) => void>()
  let limit: NodeJS.Timeout | undefined

  return {
    name: forksWithLimit.name,
    cacheFs: worker.cacheFs,
    on(event, callback) {
      if (event === 'error') listeners.add(callback)
      worker.on(event, callback)
    },
    off(event, callback) {
      if (event === 'error') listeners.delete(callback)
      worker.off(event, callback)
    },
    send(message) {
      if (message.type === 'run') {
        const paths = message.context.files.map(({ filepath }) => filepath).join(', ')
        // vitest ends the worker of which it hears an error, with SIGKILL if need be, and goes on with the next file.
        limit = afterTicks(limitTicks, () => {
          const error = new Error(`${paths} did not finish within ${(limitTicks * tickMs) / 60_000} minutes`)
          for (const tell of listeners) tell(error)
        })
      }
      worker.send(message)
    },
    deserialize(data) {
      const message = worker.deserialize(data)
      if (isEndOfRun(message)) clearInterval(limit)
      return message
    },
    async start() {
      await worker.start()
      // A worker that dies is not stopped, and nobody is left to hear of its limit.
      worker.on('exit', () => clearInterval(limit))
    },
    stop() {
      clearInterval(limit)
      return worker.stop()
    },
  }
}

function afterTicks(count: number, act: () => void): NodeJS.Timeout {
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
    if (ticks < count) return
    clearInterval(timer)
    act()
  }, tickMs)
  return timer
}

function isEndOfRun(message: unknown): boolean {
  return (
    typeof message === 'object' &&
    message !== null &&
    'type' in message &&
    message.type === 'testfileFinished'
  )
}
