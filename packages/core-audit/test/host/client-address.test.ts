import { describe, expect, test } from 'vitest'
import { createClientAddress, parseNetwork } from '../../src/host/client-address.ts'

const networks = (...texts: readonly string[]) =>
  texts.map(parseNetwork).filter((network) => network !== undefined)

describe('without trusted proxies', () => {
  const clientAddress = createClientAddress([])
  test.each([
    ['192.0.2.7', undefined, '192.0.2.7'],
    ['192.0.2.7', '203.0.113.9', '192.0.2.7'],
    ['::ffff:192.0.2.7', undefined, '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', undefined, '2001:db8:1:2::/64'],
    ['2001:db8::9', undefined, '2001:db8:0:0::/64'],
    ['fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['::1', undefined, '0:0:0:0::/64'],
    [undefined, '203.0.113.9', ''],
  ])('the client of the socket %s with the header %s is %s', (socket, header, expected) => {
    expect(clientAddress(socket, header)).toBe(expected)
  })
})

describe('behind trusted proxies', () => {
  const clientAddress = createClientAddress(networks('10.0.0.0/8', '192.0.2.1', 'fd00::/8'))
  test.each([
    ['the proxy sends no header', '10.0.0.1', undefined, '10.0.0.1'],
    ['one proxy', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['two proxies', '10.0.0.1', '203.0.113.9, 192.0.2.1', '203.0.113.9'],
    ['the client sent a header itself', '10.0.0.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['the client names a trusted proxy', '10.0.0.1', '10.9.9.9, 203.0.113.9', '203.0.113.9'],
    ['the client is no proxy', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['an entry has a port', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['an entry has brackets and a port', 'fd00::1', '[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
    ['the socket is IPv4 in IPv6', '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['an entry is no address', '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['an entry is empty', '10.0.0.1', '203.0.113.9,', '10.0.0.1'],
    ['all entries are proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ])('if %s, the client of %s and %s is %s', (_case, socket, header, expected) => {
    expect(clientAddress(socket, header)).toBe(expected)
  })
})

test.each([
  '10.0.0.0/33',
  '::/129',
  '10.0.0',
  'proxy.local',
  '10.0.0.1/',
  '/8',
  '10.0.0.1/a',
  'fe80::1%eth0',
  '',
])('%j is no network', (text) => {
  expect(parseNetwork(text)).toBeUndefined()
})
