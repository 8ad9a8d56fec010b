import { closeMessage, handshakeRefused } from './hub-protocol.ts'

interface CloseRule {
  /** Of RFC 6455 §7.4.1. */
  readonly code: number
  /** What the client did, or is; without one it may come back at once, and clients that reconnect by themselves do. */
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

/** Why the hub ends a connection in order. */
export type CloseReason = keyof typeof closeReasons

/** The code a socket is closed with. */
export const closeCodeOf = (why: CloseReason): number => closeReasons[why].code

/**
 * The hub's last words; `undefined` for none. Before the handshake is answered a client understands nothing but its answer.
 */
export function lastMessage(why: CloseReason, state: 'handshaking' | 'open' | 'closing'): string | undefined {
  const { error }: CloseRule = closeReasons[why]
  if (state === 'handshaking') return error === undefined ? undefined : handshakeRefused(error)
  return closeMessage(error === undefined ? { allowReconnect: true } : { error })
}
