import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { realtimeDefaults } from '../../src/realtime/config.ts'
import { openConnection } from '../../src/realtime/connection.ts'
import { end, handshake } from './raw-client.ts'

/** A socket that remembers what was sent, and whether it was terminated. */
class Socket extends EventEmitter {
  readonly sent: string[] = []
  isTerminated = false
  readonly bufferedAmount = 0
  send(text: string): void {
    this.sent.push(text)
  }
  close(): void {}
  terminate(): void {
    this.isTerminated = true
  }
}

test('a jump of the database clock neither ends a connection nor suspends its pings', () => {
  let clockMs = 1_000_000
  let elapsedMs = 0
  const socket = new Socket()
  const connection = openConnection(socket as unknown as WebSocket, {
    ...{ config: realtimeDefaults, methods: {}, onReady() {}, onClosed() {} },
    ...{ expiresAtMs: 2_000_000, now: () => clockMs, elapsedMs: () => elapsedMs },
  })
  socket.emit('message', Buffer.from(handshake), false)
  // The new server is ahead of the old one by more than the limit of silence.
  clockMs += 60_000
  connection.sweep()
  expect(socket).toMatchObject({ isTerminated: false, sent: [`{}${end}`] })
  clockMs -= 120_000
  elapsedMs += realtimeDefaults.pingIntervalMs
  connection.sweep()
  expect(socket.sent.slice(1)).toEqual([`{"type":6}${end}`])
  // Credentials expire by the clock of the database.
  clockMs = 2_000_000
  connection.sweep()
  expect(socket.sent.at(-1)).toContain('"type":7')
})
