/** Runs what it is given in order, so many at once; the others wait. */
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
