/** Creates a queue that runs functions in order, at most `maxAtOnce` concurrently. */
export function createQueue(maxAtOnce: number): (run: () => Promise<void>) => void {
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
  return (run) => {
    waiting.push(run)
    runNext()
  }
}
