import { type Network, parseNetwork } from './client-address.ts'
import { type EnvironmentReader, formatDuration, parseDurationMs } from './environment.ts'
import type { Rate } from './rate-limiter.ts'

/** The limits of a host for requests below `/api`. Each limit is off while it is null. */
export interface RateLimitConfig {
  readonly writesPerUser: Rate | null
  readonly writesPerAddress: Rate | null
  /** Maximum number of requests of one user that are in progress together, each until its response has been sent. */
  readonly concurrentPerUser: number | null
  /** The proxies in front of the host. The host believes only their `X-Forwarded-For`. */
  readonly trustedProxies: readonly Network[]
}

const countMax = 1_000_000
const windowMinMs = 1_000
const windowMaxMs = 86_400_000

/**
 * Reads `RateLimit__WritesPerUser` and `RateLimit__WritesPerAddress` (`100/00:00:10`: count and time),
 * `RateLimit__ConcurrentPerUser`, and `TRUSTED_PROXIES` (addresses or networks, separated by commas). All are off by default.
 */
export function readRateLimitConfig(env: EnvironmentReader): RateLimitConfig {
  const concurrent = env.integer('RateLimit__ConcurrentPerUser', { default: 0, min: 0, max: 10_000 })
  return {
    writesPerUser: readRate(env, 'RateLimit__WritesPerUser'),
    writesPerAddress: readRate(env, 'RateLimit__WritesPerAddress'),
    concurrentPerUser: concurrent === 0 ? null : concurrent,
    trustedProxies: readNetworks(env, 'TRUSTED_PROXIES'),
  }
}

function readRate(env: EnvironmentReader, key: string): Rate | null {
  const raw = env.string(key)
  if (raw === '') return null
  const [, digits = '', duration = ''] = /^(\d{1,7})\/(.+)$/.exec(raw) ?? []
  const count = Number(digits)
  const windowMs = parseDurationMs(duration) ?? 0
  const isValid = count >= 1 && count <= countMax && windowMs >= windowMinMs && windowMs <= windowMaxMs
  if (isValid) return { count, windowMs }
  const range = `1 to ${countMax} in ${formatDuration(windowMinMs)} to ${formatDuration(windowMaxMs)}`
  env.problem(key, `expected COUNT/[d.]hh:mm:ss, such as 100/00:00:10, from ${range}`)
  return null
}

function readNetworks(env: EnvironmentReader, key: string): readonly Network[] {
  const texts = env
    .string(key)
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  const networks = texts.map(parseNetwork).filter((network) => network !== undefined)
  if (networks.length < texts.length) {
    env.problem(key, 'expected addresses or networks, separated by commas, such as 10.0.0.0/8, ::1')
  }
  return networks
}
