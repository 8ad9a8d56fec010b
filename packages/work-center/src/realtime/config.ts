import { readDatabaseUrl } from '@vertical-kit/core-audit/database'
import type { EnvironmentReader } from '@vertical-kit/core-audit/host'
import { toOrigin } from './origin.ts'

/** Limits and intervals of the hub and of the backplane. */
export interface RealtimeConfig {
  /** The origins of pages that are allowed to connect, in addition to the host's own origin. */
  readonly allowedOrigins: readonly string[]
  /** The database URL for listening, which must bypass a pooler. `null` selects the host's database URL. */
  readonly databaseUrl: string | null
  readonly maxConnectionsPerUser: number
  /** The interval at which the hub reads versions and account states: the maximum delay if the backplane fails. */
  readonly checkIntervalMs: number
  /** The interval at which the hub checks all connections for timeouts, pings and expired tokens. */
  readonly sweepIntervalMs: number
  readonly handshakeTimeoutMs: number
  /** The hub sends a ping when it has sent nothing to a client for this time. */
  readonly pingIntervalMs: number
  /** The hub terminates a connection when it has received nothing from the client for this time. */
  readonly silenceTimeoutMs: number
  /** The hub terminates a socket that the client has not closed within this time after a close message. */
  readonly closeTimeoutMs: number
  /** The minimum interval between two versions for a user. The last change is always sent. */
  readonly quietMs: number
  /** The maximum size of a WebSocket message, and also of a protocol record. */
  readonly maxMessageBytes: number
  /** The maximum size of the unsent data for a client that does not read. */
  readonly maxBufferedBytes: number
  /** The maximum number of messages plus records that a client can send per `messageWindowMs`. */
  readonly maxMessagesPerWindow: number
  readonly messageWindowMs: number
  /** The interval between two canaries of the listening connection. A canary must arrive within this interval. */
  readonly canaryIntervalMs: number
  readonly reconnectMinMs: number
  readonly reconnectMaxMs: number
}

/** The default configuration. The times for silence, pings and handshakes are the defaults of SignalR. */
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
 * Reads `WorkCenter__AllowedOrigins` (comma-separated; default: none), `WorkCenter__RealtimeDatabaseUrl` (default: the
 * host's database URL), `WorkCenter__MaxConnectionsPerUser` (default: 20) and `WorkCenter__RealtimeCheckInterval`
 * (default: `00:00:05`).
 */
export function readRealtimeConfig(env: EnvironmentReader): RealtimeConfig {
  const databaseUrl = readDatabaseUrl(env, 'WorkCenter__RealtimeDatabaseUrl', { default: '' })
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
