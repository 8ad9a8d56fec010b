/** A queue that can be filled and drained. */
interface Queue {
  fill(count: number): Promise<unknown>
  drain(count: number): Promise<unknown>
}

/** For each message of the parent process, fills the queue with COUNT jobs and answers with the time that it needs to drain them. */
export function serveDrains({ fill, drain }: Queue): void {
  const count = Number(process.env.COUNT)
  process.on('message', async () => {
    await fill(count)
    const startedMs = performance.now()
    await drain(count)
    process.send?.({ spanMs: performance.now() - startedMs })
  })
  process.once('SIGTERM', () => process.exit(0))
  console.log('ready {"url":""}')
}
