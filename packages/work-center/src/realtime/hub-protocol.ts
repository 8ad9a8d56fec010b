import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import * as v from 'valibot'
import { ClientMessage, HandshakeRequest, objectChangedTarget, workCenterChangedTarget } from './contract.ts'

/**
 * The end of each record in the SignalR JSON hub protocol, version 1. A record is a JSON text. A WebSocket message can
 * contain several records, and a record can span several messages.
 *
 * @see https://github.com/dotnet/aspnetcore/blob/main/src/SignalR/docs/specs/HubProtocol.md
 */
const recordEnd = '\x1e'

/** The message types that the hub uses. The protocol requires that the hub ignores all other types. */
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

/** Encodes a close message. Clients with automatic reconnect only reconnect if `allowReconnect` is true. */
export const closeMessage = (close: { readonly error?: string; readonly allowReconnect?: boolean }): string =>
  record({ type: messageTypes.close, ...close })

/** Encodes an invocation without an id, so that clients send no response. */
export const changedMessage = (version: number): string =>
  record({ type: messageTypes.invocation, target: workCenterChangedTarget, arguments: [version] })

export const objectChangedMessage = (
  { kind, typeCode, id }: BusinessObjectReference,
  number: number,
): string =>
  record({
    type: messageTypes.invocation,
    target: objectChangedTarget,
    arguments: [kind, typeCode, id, number],
  })

/** Encodes the response to a client that has invoked a method. Without a `result`, the method returns nothing. */
export const completed = (invocationId: string, result: unknown): string =>
  record({ type: messageTypes.completion, invocationId, result })

/** Encodes the error response to a client that has invoked a method. */
export const notCompleted = (invocationId: string, error: string): string =>
  record({ type: messageTypes.completion, invocationId, error })

/** Splits the received text into complete records and the start of the next record. */
export function takeRecords(text: string): { readonly records: readonly string[]; readonly rest: string } {
  const parts = text.split(recordEnd)
  const rest = parts.pop() ?? ''
  return { records: parts, rest }
}

/** Returns the problem of a client's first record, or `null` if the hub supports the requested protocol. */
export function refuseHandshake(text: string): string | null {
  const request = v.safeParse(HandshakeRequest, parseJson(text))
  if (!request.success) return 'Expected a handshake request.'
  if (request.output.protocol !== 'json') return 'Only the json protocol is supported.'
  // Version 0 preceded the final version 1, which all newer clients support.
  if (request.output.version !== 1) return 'Only version 1 of the protocol is supported.'
  return null
}

/** Returns whether the client waits for a response to this message. */
export function isCall(message: ClientMessage): message is ClientMessage & { readonly invocationId: string } {
  const { type, invocationId } = message
  const isInvocation = type === messageTypes.invocation || type === messageTypes.streamInvocation
  return isInvocation && typeof invocationId === 'string'
}

/** Parses a record that follows the handshake. Returns `undefined` if the record is not a valid message. */
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
