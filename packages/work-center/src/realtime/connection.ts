import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { WebSocket } from 'ws'
import { type CloseReason, closeCodeOf, lastMessage } from './close-reason.ts'
import type { RealtimeConfig } from './config.ts'
import type { ClientMessage } from './contract.ts'
import {
  changedMessage,
  completed,
  handshakeAccepted,
  handshakeRefused,
  isCall,
  messageTypes,
  notCompleted,
  objectChangedMessage,
  pingMessage,
  readMessage,
  refuseHandshake,
} from './hub-protocol.ts'
import { createRecordReader, type RecordReader } from './record-reader.ts'

export interface ConnectionOptions {
  /** The time at which the caller's credentials expire. */
  readonly expiresAtMs: number
  readonly config: RealtimeConfig
  readonly now: () => number
  /** The clock of the time limits. */
  readonly elapsedMs: () => number
  /** The methods that the client can invoke, by name. A method receives the client's arguments, which can be anything. */
  readonly methods: Readonly<Record<string, HubMethod>>
  /** Called after the handshake. The hub cannot send versions before this call. */
  onReady(): void
  onClosed(reason: string): void
}

/** Resolves with the result for the client. A rejection tells the client only that it can try again. */
export type HubMethod = (args: unknown) => Promise<unknown>

/** The connection of one client to the hub. */
export interface Connection {
  /** Sends the number of a changed object. */
  sendObject(reference: BusinessObjectReference, number: number): void
  /** Sends a version if it is higher than the last version sent. Sends nothing before the handshake. */
  send(version: number): void
  /** Checks the time limits. If a limit is reached, sends a ping or ends the connection. */
  sweep(): void
  /** Sends the close reason and closes the socket. */
  end(why: CloseReason): void
  /** Terminates the socket without a closing handshake. */
  terminate(): void
}

/**
 * Runs the hub protocol with one client.
 *
 * ```
 * handshaking ──{"protocol":"json","version":1}──▶ open ──▶ closing ──▶ closed
 *      └────────────refused, or too late───────────────────────┘
 * ```
 *
 * Closes the connection with an error when the client violates the protocol or sends too much. Terminates the connection
 * without a message when the client is silent or does not read, because a message would not arrive.
 */
export function openConnection(ws: WebSocket, options: ConnectionOptions): Connection {
  const { config, elapsedMs } = options
  const reader = createRecordReader(config, elapsedMs)
  let state: 'handshaking' | 'open' | 'closing' = 'handshaking'
  let reason = 'left'
  let sentVersion = -1
  let receivedAtMs = elapsedMs()
  /** The time of the last message to the client. Until the handshake, it is the time at which the socket opened. */
  let sentAtMs = receivedAtMs

  const cut = (why: string): void => {
    if (state !== 'closing') reason = why
    state = 'closing'
    ws.terminate()
  }
  const write = (text: string): void => {
    if (ws.bufferedAmount > config.maxBufferedBytes) {
      cut('does not read')
    } else {
      ws.send(text)
      sentAtMs = elapsedMs()
    }
  }
  const close = (why: string, code: number, message: string | undefined): void => {
    if (state === 'closing') return
    reason = why
    state = 'closing'
    sentAtMs = elapsedMs()
    if (message !== undefined) write(message)
    ws.close(code)
  }
  const end = (why: CloseReason): void => close(why, closeCodeOf(why), lastMessage(why, state))

  const takeHandshake = (record: string): void => {
    const problem = refuseHandshake(record)
    if (problem === null) {
      state = 'open'
      write(handshakeAccepted)
      options.onReady()
    } else {
      close('handshake', 1008, handshakeRefused(problem))
    }
  }
  const respond = (message: ClientMessage, text: (invocationId: string) => string): void => {
    if (isCall(message) && state === 'open') write(text(message.invocationId))
  }
  const call = (message: ClientMessage): void => {
    const method = methodOf(options.methods, message)
    if (method === undefined) respond(message, (id) => notCompleted(id, 'The hub has no such method.'))
    method?.(message.arguments).then(
      (result) => respond(message, (id) => completed(id, result)),
      () => respond(message, (id) => notCompleted(id, 'The service is unavailable. Try again.')),
    )
  }
  const takeMessage = (record: string): void => {
    const message = readMessage(record)
    if (message === undefined) end('malformed')
    else if (message.type === messageTypes.close) close('left', 1000, undefined)
    else call(message)
  }
  const take = (records: ReturnType<RecordReader['read']> | 'notText'): void => {
    if (typeof records === 'string') {
      end(records)
      return
    }
    for (const record of records) {
      if (state === 'handshaking') takeHandshake(record)
      else if (state === 'open') takeMessage(record)
    }
  }

  ws.on('message', (data, isBinary) => {
    receivedAtMs = elapsedMs()
    take(isBinary ? 'notText' : reader.read(String(data)))
  })
  const countFrame = () => {
    receivedAtMs = elapsedMs()
    const exceeded = reader.count(1)
    if (exceeded !== undefined) end(exceeded)
  }
  ws.on('ping', countFrame)
  ws.on('pong', countFrame)
  // The `ws` library responds to a malformed frame and closes the socket.
  ws.on('error', () => {
    reason = 'broken frame'
  })
  ws.once('close', () => options.onClosed(reason))

  return {
    end,
    terminate: () => cut('cut off'),
    send(version) {
      if (state !== 'open' || version <= sentVersion) return
      sentVersion = version
      write(changedMessage(version))
    },
    sendObject(reference, number) {
      if (state === 'open') write(objectChangedMessage(reference, number))
    },
    sweep() {
      const nowMs = elapsedMs()
      const quietMs = nowMs - sentAtMs
      if (state === 'closing' && quietMs < config.closeTimeoutMs) return
      if (state === 'closing') cut('closing')
      else if (options.now() >= options.expiresAtMs) end('tokenExpired')
      else if (nowMs - receivedAtMs >= config.silenceTimeoutMs) cut('silent')
      else if (state === 'handshaking' && quietMs >= config.handshakeTimeoutMs) cut('no handshake')
      else if (state === 'open' && quietMs >= config.pingIntervalMs) write(pingMessage)
    },
  }
}

function methodOf(
  methods: ConnectionOptions['methods'],
  { type, target }: ClientMessage,
): HubMethod | undefined {
  const isInvocation = type === messageTypes.invocation && typeof target === 'string'
  return isInvocation && Object.hasOwn(methods, target) ? methods[target] : undefined
}
