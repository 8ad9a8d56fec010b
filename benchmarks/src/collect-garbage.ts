/**
 * Returns the memory of a server after garbage collection. The server imports this module before its script and runs with
 * `--expose-gc`. For each message `collect` of the parent process, it collects garbage and sends the remaining memory in bytes.
 */
import { setTimeout as delay } from 'node:timers/promises'

process.on('message', async (message) => {
  if (message !== 'collect') return
  for (let round = 0; round < 5; round += 1) {
    global.gc?.()
    await delay(200)
  }
  process.send?.(process.memoryUsage.rss())
})
// The channel is unreferenced, so that it does not keep the server alive. The parent stops the server with a signal.
process.channel?.unref()
