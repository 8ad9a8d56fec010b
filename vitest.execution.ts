import { availableParallelism } from 'node:os'
import { ForksPoolWorker, type PoolOptions, type PoolWorker } from 'vitest/node'

// A file takes seconds, or up to ten minutes on a slow machine if it fills large tables. The limit counts ticks instead of
// time, so the time during which a machine is suspended does not count.
const tickMs = 10_000
const limitTicks = 90

/**
 * vitest's worker processes with a time limit. If a file has not finished after fifteen minutes, the file fails and its
 * worker is killed. vitest limits only tests and hooks, and only inside the worker. Without our limit, vitest waits
 * forever for a file that hangs during loading or blocks its worker.
 */
const forksWithLimit = { name: 'forks-with-limit', createPoolWorker }

/** The execution settings of all projects. */
export const execution = {
  pool: forksWithLimit,
  // A worker continues with the next file of its project and reuses the loaded modules, because most files spend half of
  // their time on loading modules.
  isolate: false,
  // Use one worker more than cores, because files also wait for servers and processes. Use at most four: every worker has
  // its own connections, servers and processes, and containers often share their cores with other containers.
  maxWorkers: Math.min(4, availableParallelism() + 1),
  // These limits detect hanging tests. They do not measure performance, because the machine can be busy with other work.
  testTimeout: 120_000,
  hookTimeout: 240_000,
}

/**
 * The settings of projects whose tests start browsers and several processes: a busy machine can delay one of these beyond a
 * time limit. A failed test is repeated once, and the summary lists it with its first failure. Tests of the packages are
 * never repeated, because a failure there can be a race.
 */
export const withManyProcesses = { retry: 1 }

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
        // After an error event, vitest ends the worker (with SIGKILL if necessary) and continues with the next file.
        limit = afterTicks(limitTicks, () => {
          const error = new Error(`${paths} did not finish within ${(limitTicks * tickMs) / 60_000} minutes`)
          for (const notify of listeners) notify(error)
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
      // vitest does not call `stop` for a worker that dies, so clear the worker's limit here.
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
