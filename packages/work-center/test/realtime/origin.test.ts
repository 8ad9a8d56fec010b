import { expect, test } from 'vitest'
import { isAllowedOrigin } from '../../src/realtime/origin.ts'

const allowed = new Set(['https://app.example.com', 'http://localhost:5173'])

test.each([
  [undefined, 'api.example.com'],
  [undefined, undefined],
  ['https://app.example.com', 'api.example.com'],
  ['https://app.example.com:443', 'api.example.com'],
  ['HTTPS://APP.EXAMPLE.COM', 'api.example.com'],
  ['http://localhost:5173', 'api.example.com'],
  ['https://api.example.com', 'api.example.com'],
  ['https://api.example.com', 'API.example.com'],
  ['https://api.example.com', 'api.example.com:443'],
  ['http://api.example.com', 'api.example.com:80'],
  ['http://127.0.0.1:8080', '127.0.0.1:8080'],
  ['http://[::1]:8080', '[::1]:8080'],
])('a page of the origin %j is allowed to use the hub at the host %j', (origin, host) => {
  expect(isAllowedOrigin({ origin, host }, allowed)).toBe(true)
})

test.each([
  ['null', 'null'],
  ['', 'api.example.com'],
  ['https://evil.example.com', 'api.example.com'],
  ['https://evil.example.com', undefined],
  ['https://app.example.com.evil.com', 'api.example.com'],
  ['https://app.example.com@evil.com', 'api.example.com'],
  ['https://evil.com/https://app.example.com', 'api.example.com'],
  ['https://app.example.com/', 'api.example.com'],
  ['https://app.example.com:8443', 'api.example.com'],
  ['http://app.example.com', 'api.example.com'],
  ['http://localhost:5174', 'api.example.com'],
  ['https://api.example.com:8443', 'api.example.com'],
  ['http://api.example.com', 'api.example.com:443'],
  ['https://app.example.com https://evil.com', 'api.example.com'],
  ['https://app.example.com, https://evil.com', 'api.example.com'],
  ['ws://api.example.com', 'api.example.com'],
  ['file://', ''],
  ['chrome-extension://abc', 'abc'],
])('a page of the origin %j is not allowed to use the hub at the host %j', (origin, host) => {
  expect(isAllowedOrigin({ origin, host }, allowed)).toBe(false)
})
