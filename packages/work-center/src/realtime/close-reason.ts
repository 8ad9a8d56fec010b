import { closeMessage, handshakeRefused } from './hub-protocol.ts'

interface CloseRule {
  /** The close code of RFC 6455 §7.4.1. */
  readonly code: number
  /** The error that the client receives. If it is absent, clients with automatic reconnect reconnect immediately. */
  readonly error?: string
}

const closeReasons = {
  restart: { code: 1001 },
  tokenExpired: { code: 1000 },
  inactive: { code: 1008, error: 'This account has been deactivated.' },
  notText: { code: 1003, error: 'Only text messages are supported.' },
  malformed: { code: 1008, error: 'This message does not follow the protocol.' },
  tooLong: { code: 1009, error: 'The message is too long.' },
  tooMany: { code: 1008, error: 'Too many messages were sent.' },
} as const satisfies Record<string, CloseRule>

/** The reason for which the hub closes a connection with a closing handshake. */
export type CloseReason = keyof typeof closeReasons

/** Returns the code for closing the socket. */
export const closeCodeOf = (why: CloseReason): number => closeReasons[why].code

/**
 * Returns the last message that the hub sends, or `undefined` if it sends none. During the handshake, a client accepts
 * only a handshake response.
 */
export function lastMessage(why: CloseReason, state: 'handshaking' | 'open' | 'closing'): string | undefined {
  const { error }: CloseRule = closeReasons[why]
  if (state === 'handshaking') return error === undefined ? undefined : handshakeRefused(error)
  return closeMessage(error === undefined ? { allowReconnect: true } : { error })
}
