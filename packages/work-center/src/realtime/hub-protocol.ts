import * as v from 'valibot'
import { ClientMessage, HandshakeRequest, workCenterChangedTarget } from './contract.ts'

/**
 * The records of the SignalR JSON hub protocol, version 1: JSON texts, each ended by U+001E, any number of them in a
 * WebSocket message and any number of messages for one of them.
 *
 * @see https://github.com/dotnet/aspnetcore/blob/main/src/SignalR/docs/specs/HubProtocol.md
 */
const recordEnd = '\x1e'

/** The `type` of the messages the hub looks at; it passes over all others, as the protocol asks for. */
export const messageTypes = {
  invocation: 1,
  completion: 3,
  streamInvocation: 4,
  ping: 6,
  close: 7,
} as const

const record = (message: object): string => JSON.stringify(message) + recordEnd

export const handshakeAccepted: string = record({})

export const handshakeRefused = (error: string): string => record({ error })

export const pingMessage: string = record({ type: messageTypes.ping })

/** With `allowReconnect`, clients that reconnect automatically do; without, they stay away. */
export const closeMessage = (close: { readonly error?: string; readonly allowReconnect?: boolean }): string =>
  record({ type: messageTypes.close, ...close })

/** The invocation without an id, which nobody answers. */
export const changedMessage = (version: number): string =>
  record({ type: messageTypes.invocation, target: workCenterChangedTarget, arguments: [version] })

/** The answer to whoever invokes a method here: there is none. */
export const unknownMethod = (invocationId: string): string =>
  record({ type: messageTypes.completion, invocationId, error: 'The hub has no methods.' })

/** Splits what came in so far into whole records and the begin of the next one. */
export function takeRecords(text: string): { readonly records: readonly string[]; readonly rest: string } {
  const parts = text.split(recordEnd)
  const rest = parts.pop() ?? ''
  return { records: parts, rest }
}

/** What is wrong with a client's first record; `null` when the protocol is ours. */
export function refuseHandshake(text: string): string | null {
  const request = v.safeParse(HandshakeRequest, parseJson(text))
  if (!request.success) return 'Expected a handshake request.'
  if (request.output.protocol !== 'json') return 'Only the json protocol is spoken here.'
  // 0 came before the completion of version 1, and every client since speaks 1.
  if (request.output.version !== 1) return 'Only version 1 of the protocol is spoken here.'
  return null
}

/** Whether somebody waits for an answer. */
export function isCall(message: ClientMessage): message is ClientMessage & { readonly invocationId: string } {
  const { type, invocationId } = message
  const isInvocation = type === messageTypes.invocation || type === messageTypes.streamInvocation
  return isInvocation && typeof invocationId === 'string'
}

/** A later record; `undefined` when it is no message. */
export function readMessage(text: string): ClientMessage | undefined {
  const message = v.safeParse(ClientMessage, parseJson(text))
  return message.success ? message.output : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
