import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A client that sends exact bytes on one connection. */
export interface RawClient {
  readonly socket: Socket
  send(text: string): void
  /** Waits until the text received so far matches, and returns this text. */
  received(pattern: RegExp): Promise<string>
  /** Waits until the server has closed the connection, and returns all received text. */
  ended(): Promise<string>
}

/** Connects to a server of this test. */
export async function connectTo(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  // Ignore errors: a reset is an error of the socket, but not of the test.
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  return {
    socket,
    send: (request) => void socket.write(request),
    async received(pattern) {
      while (!pattern.test(text)) {
        if (socket.closed) throw new Error(`the connection closed after: ${text}`)
        await Promise.race([once(socket, 'data'), closed])
      }
      return text
    },
    async ended() {
      await closed
      return text
    },
  }
}

/** Returns the text of a request without a body. */
export const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`
