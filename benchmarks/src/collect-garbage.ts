/**
 * Imported into a server before its script, with `--expose-gc`: at every message of its parent it lets go of what is no
 * longer used, and answers how many bytes it takes then.
 */
import { setTimeout as delay } from 'node:timers/promises'

process.on('message', async () => {
  for (let round = 0; round < 5; round += 1) {
    global.gc?.()
    await delay(200)
  }
  process.send?.(process.memoryUsage.rss())
})
// Whoever stops the server does so by a signal: its parent's end of the channel does not keep it.
process.channel?.unref()
