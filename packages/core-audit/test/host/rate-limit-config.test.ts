import { type Environment, readConfiguration, readRateLimitConfig } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'

const problemsOf = (environment: Environment) =>
  configurationProblems(() => readConfiguration(environment, readRateLimitConfig))

test('all limits are off by default', () => {
  expect(readConfiguration({}, readRateLimitConfig)).toEqual({
    writesPerUser: null,
    writesPerAddress: null,
    concurrentPerUser: null,
    trustedProxies: [],
  })
})

test('every limit can be set', () => {
  const environment = {
    RateLimit__WritesPerUser: '100/00:00:10',
    RateLimit__WritesPerAddress: '1000000/1.00:00:00',
    RateLimit__ConcurrentPerUser: '32',
    TRUSTED_PROXIES: '10.0.0.0/8, ::1',
  }
  expect(readConfiguration(environment, readRateLimitConfig)).toEqual({
    writesPerUser: { count: 100, windowMs: 10_000 },
    writesPerAddress: { count: 1_000_000, windowMs: 86_400_000 },
    concurrentPerUser: 32,
    trustedProxies: [
      { address: '10.0.0.0', family: 'ipv4', prefixBits: 8 },
      { address: '::1', family: 'ipv6', prefixBits: 128 },
    ],
  })
})

test.each([
  '100',
  '0/00:00:10',
  '1000001/00:00:10',
  '100/10',
  '100/00:00:00',
  '100/1.00:00:01',
  '-1/00:00:10',
  '1.5/00:00:10',
])('the rate %s is a problem', (rate) => {
  const environment = { RateLimit__WritesPerUser: rate, RateLimit__WritesPerAddress: rate }
  expect(problemsOf(environment)).toEqual(
    ['RateLimit__WritesPerUser', 'RateLimit__WritesPerAddress'].map(
      (key) =>
        `${key}: expected COUNT/[d.]hh:mm:ss, such as 100/00:00:10, from 1 to 1000000 in 00:00:01 to 1.00:00:00`,
    ),
  )
})

test('all other problems are reported at once', () => {
  const environment = {
    RateLimit__ConcurrentPerUser: '10001',
    RateLimit__WritesPerUsr: '100/00:00:10',
    TRUSTED_PROXIES: '10.0.0.0/8, proxy.local',
  }
  expect(problemsOf(environment)).toEqual([
    'RateLimit__ConcurrentPerUser: expected a whole number from 0 to 10000',
    'TRUSTED_PROXIES: expected addresses or networks, separated by commas, such as 10.0.0.0/8, ::1',
    'RateLimit__WritesPerUsr: unknown key',
  ])
})
