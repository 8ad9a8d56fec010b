/** Runs what it is given in order, so many at once; the others wait. */
export function createQueue<T>(maxAtOnce: number, run: (item: T) => Promise<void>): (item: T) => void {
  const waiting: T[] = []
  let runningCount = 0
  const runNext = () => {
    const item = runningCount < maxAtOnce ? waiting.shift() : undefined
    if (item === undefined) return
    runningCount += 1
    void run(item).finally(() => {
      runningCount -= 1
      runNext()
    })
  }
  return (item) => {
    waiting.push(item)
    runNext()
  }
}
