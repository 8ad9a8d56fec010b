/**
 * Opens sockets of socket.io in a separate process, with the messages of `src/work-center/socket-clients.ts`: opens a socket for
 * each token, or answers when all sockets have received a version.
 */
import { io } from 'socket.io-client'

const versions = new Map()
let wanted = { version: 0, left: 0 }

process.on('message', async (message) => {
  if ('version' in message) {
    wanted = { version: message.version, left: versions.size }
    return process.send?.('waiting')
  }
  for (let at = 0; at < message.tokens.length; at += 50) {
    await Promise.all(message.tokens.slice(at, at + 50).map((token) => open(message.url, token)))
  }
  process.send?.('open')
})
process.once('SIGTERM', () => process.exit(0))
console.log('ready {"url":""}')

const open = (url, user) =>
  new Promise<void>((resolve, reject) => {
    const socket = io(url, { transports: ['websocket'], auth: { user }, forceNew: true, reconnection: false })
    socket.on('connect_error', reject)
    socket.on('connect', resolve)
    socket.on('workCenterChanged', (version) => {
      if (version !== wanted.version) return
      wanted.left -= 1
      if (wanted.left === 0) process.send?.('received')
    })
    versions.set(user, socket)
  })
