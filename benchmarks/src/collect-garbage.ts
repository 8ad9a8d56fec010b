/**
 * A module that is imported before a server's script, with `--expose-gc`. For every message of the parent process, it
 * collects garbage and returns the remaining memory in bytes.
 */
import { setTimeout as delay } from 'node:timers/promises'

process.on('message', async () => {
  for (let round = 0; round < 5; round += 1) {
    global.gc?.()
    await delay(200)
  }
  process.send?.(process.memoryUsage.rss())
})
// Unreferenced, so the channel to the parent does not keep the server alive. The parent stops it with a signal.
process.channel?.unref()
