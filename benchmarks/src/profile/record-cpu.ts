/**
 * Records the CPU profile of a server between the messages `profile start` and `profile stop` of its parent process, and sends
 * the profile as the answer to the second message. The server imports this module before its script.
 */
import { Session } from 'node:inspector/promises'

const session = new Session()
session.connect()
process.on('message', async (message) => {
  if (message === 'profile start') {
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 500 })
    await session.post('Profiler.start')
    process.send?.('recording')
  } else if (message === 'profile stop') {
    const { profile } = await session.post('Profiler.stop')
    process.send?.(profile)
  }
})
// The channel is unreferenced, so that it does not keep the server alive. The parent stops the server with a signal.
process.channel?.unref()
