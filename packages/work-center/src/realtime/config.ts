import type { EnvironmentReader } from '@vertical-kit/core-audit/host'
import { toOrigin } from './origin.ts'

/** Limits and intervals of the hub and of the backplane. */
export interface RealtimeConfig {
  /** Additional origins of pages that may connect, besides the host's own. */
  readonly allowedOrigins: readonly string[]
  /** The address of the listening connection, which must bypass a pooler; `null` for the database's own address. */
  readonly databaseUrl: string | null
  readonly maxConnectionsPerUser: number
  /** The interval for reading versions and account states of connected users: the maximum delay without the backplane. */
  readonly checkIntervalMs: number
  /** The interval for checking all connections for timeouts, pings and expired tokens. */
  readonly sweepIntervalMs: number
  readonly handshakeTimeoutMs: number
  /** The time without sending after which the hub sends a ping. */
  readonly pingIntervalMs: number
  /** The time without receiving after which the hub terminates the connection. */
  readonly silenceTimeoutMs: number
  /** The time that a client has to close its socket after a close message. */
  readonly closeTimeoutMs: number
  /** The minimum interval between two sends to a user. The first change is sent immediately; the last is always sent. */
  readonly quietMs: number
  /** The limit for one WebSocket message, and for one protocol record. */
  readonly maxMessageBytes: number
  /** The limit of unsent data for a client that does not read. */
  readonly maxBufferedBytes: number
  /** The maximum number of a client's messages plus records per `messageWindowMs`. */
  readonly maxMessagesPerWindow: number
  readonly messageWindowMs: number
  /** The interval at which the listening connection notifies itself, and the time it waits for that canary. */
  readonly canaryIntervalMs: number
  readonly reconnectMinMs: number
  readonly reconnectMaxMs: number
}

/** The default configuration. Silence (30 s), ping (15 s) and handshake (15 s) times are SignalR's own defaults. */
export const realtimeDefaults = {
  allowedOrigins: [],
  databaseUrl: null,
  maxConnectionsPerUser: 20,
  checkIntervalMs: 5_000,
  sweepIntervalMs: 1_000,
  handshakeTimeoutMs: 15_000,
  pingIntervalMs: 15_000,
  silenceTimeoutMs: 30_000,
  closeTimeoutMs: 2_000,
  quietMs: 100,
  maxMessageBytes: 4 * 1024,
  maxBufferedBytes: 16 * 1024,
  maxMessagesPerWindow: 100,
  messageWindowMs: 10_000,
  canaryIntervalMs: 10_000,
  reconnectMinMs: 100,
  reconnectMaxMs: 5_000,
} as const satisfies RealtimeConfig

/**
 * Reads `WorkCenter__AllowedOrigins` (comma-separated, default none), `WorkCenter__RealtimeDatabaseUrl` (the database's),
 * `WorkCenter__MaxConnectionsPerUser` (20) and `WorkCenter__RealtimeCheckInterval` (`00:00:05`).
 */
export function readRealtimeConfig(env: EnvironmentReader): RealtimeConfig {
  const databaseUrl = env.string('WorkCenter__RealtimeDatabaseUrl', {
    pattern: /^(?:postgres(?:ql)?:\/\/(?:[^@/?#\s]*@)?[^@/?#\s]+(?:[/?]\S*)?)?$/,
    expected: 'a postgres:// address',
  })
  return {
    ...realtimeDefaults,
    allowedOrigins: readOrigins(env, 'WorkCenter__AllowedOrigins'),
    databaseUrl: databaseUrl === '' ? null : databaseUrl,
    maxConnectionsPerUser: env.integer('WorkCenter__MaxConnectionsPerUser', {
      default: realtimeDefaults.maxConnectionsPerUser,
      min: 1,
      max: 1_000,
    }),
    checkIntervalMs: env.durationMs('WorkCenter__RealtimeCheckInterval', {
      default: realtimeDefaults.checkIntervalMs,
      min: 1_000,
      max: 60_000,
    }),
  }
}

function readOrigins(env: EnvironmentReader, key: string): readonly string[] {
  const texts = env
    .string(key)
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  const origins = texts.map((text) => toOrigin(text)?.origin)
  if (origins.includes(undefined)) {
    env.problem(key, 'expected origins (https://host[:port]) separated by commas')
  }
  return [...new Set(origins.filter((origin) => origin !== undefined))]
}
