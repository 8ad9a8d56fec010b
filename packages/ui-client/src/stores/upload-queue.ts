/** Runs a function as soon as the queue has a free place, and settles as the function does. */
export type Queue = <T>(run: () => Promise<T>) => Promise<T>

/** Creates a queue that runs functions in order, at most `maxAtOnce` concurrently. */
export function createQueue(maxAtOnce: number): Queue {
  const waiting: (() => Promise<void>)[] = []
  let runningCount = 0
  const runNext = () => {
    const run = runningCount < maxAtOnce ? waiting.shift() : undefined
    if (run === undefined) return
    runningCount += 1
    void run().finally(() => {
      runningCount -= 1
      runNext()
    })
  }
  return (run) =>
    new Promise((resolve, reject) => {
      waiting.push(() => run().then(resolve, reject))
      runNext()
    })
}
