/**
 * A server of socket.io. Each socket joins the room of its user. For a message `{ users, version }` of the parent process, it
 * sends the version to each of these users.
 */
import { createServer } from 'node:http'
import { Server } from 'socket.io'

const server = createServer()
const io = new Server(server, { transports: ['websocket'], serveClient: false })
io.on('connection', (socket) => socket.join(String(socket.handshake.auth.user)))
process.on('message', (message) => {
  if (typeof message !== 'object') return
  for (const user of message.users) io.to(user).emit('workCenterChanged', message.version)
  process.send?.('sent')
})
process.once('SIGTERM', () => process.exit(0))
server.listen(0, '127.0.0.1', () => {
  console.log(`ready ${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}`)
})
