import type { EnvironmentReader } from '@vertical-kit/core-audit/host'
import { toOrigin } from './origin.ts'

/** Bounds and rhythms of the hub and of what carries versions between replicas. */
export interface RealtimeConfig {
  /** Origins of pages that may connect, besides the host's own. */
  readonly allowedOrigins: readonly string[]
  /** For the connection that listens, which a pooler cannot carry; `null`: the database's own address. */
  readonly databaseUrl: string | null
  readonly maxConnectionsPerUser: number
  /** How often the versions and the activity of all who are connected are asked for: the bound without the backplane. */
  readonly checkIntervalMs: number
  /** How often connections are looked through for what time has done to them. */
  readonly sweepIntervalMs: number
  readonly handshakeTimeoutMs: number
  /** A connection nothing was sent to for so long gets a ping. */
  readonly pingIntervalMs: number
  /** A client nothing came from for so long is gone. */
  readonly silenceTimeoutMs: number
  /** A client that was told good-bye has so long to close. */
  readonly closeTimeoutMs: number
  /** A user hears of changes at most once in this time, of the first at once and of the last for sure. */
  readonly quietMs: number
  /** Of one WebSocket message, and of one record of the protocol. */
  readonly maxMessageBytes: number
  /** What may wait for a client that does not read. */
  readonly maxBufferedBytes: number
  /** Messages and records of a client in `messageWindowMs`. */
  readonly maxMessagesPerWindow: number
  readonly messageWindowMs: number
  /** How often the listening connection sends itself a sign of life, and how long it waits for it. */
  readonly canaryIntervalMs: number
  readonly reconnectMinMs: number
  readonly reconnectMaxMs: number
}

/** A client's silence and the interval of pings are SignalR's own defaults: 30 s, 15 s, and 15 s for the handshake. */
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
 * Reads `WorkCenter__AllowedOrigins` (none; separated by commas), `WorkCenter__RealtimeDatabaseUrl` (the database's),
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
