import dns from 'node:dns'
import { expect, onTestFinished, test, vi } from 'vitest'
import { endpointUrl, postWebhook } from '../src/post.ts'
import { isPublicAddress } from '../src/public-address.ts'
import { local, startReceiver } from './harness.ts'

const strict = { allowPrivateAddresses: false, allowInsecureHttp: false }
const insecure = { ...strict, allowInsecureHttp: true }
const { signal } = new AbortController()
const request = { headers: {}, body: '{}' }

test.each([
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.1'],
  ...['127.255.255.255', '169.254.0.0', '169.254.169.254', '169.254.255.255', '168.63.129.16', '172.16.0.0'],
  ...['172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255', '192.31.196.0'],
  ...['192.31.196.255', '192.52.193.0', '192.52.193.255', '192.88.99.0', '192.88.99.255', '192.168.0.0'],
  ...['192.168.255.255', '192.175.48.0', '192.175.48.255', '198.18.0.0', '198.19.255.255', '198.51.100.0'],
  ...['198.51.100.255', '203.0.113.0', '203.0.113.255', '224.0.0.0', '239.255.255.255', '240.0.0.0'],
  ...['255.255.255.255', '::', '::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::a00:1'],
  ...['100::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2001::'],
  ...['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['2002::', '2002:a00:1::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2620:4f:8000::'],
  ...['2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['2606:4700::1111%eth0', 'localhost', '', '1.2.3'],
])('%s is not a public address', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

// The addresses before and after each refused block, unless they belong to another one.
test.each([
  ...[
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ],
  ...['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
  ...['191.255.255.255', '192.0.1.0', '192.0.1.255', '192.0.3.0', '192.31.195.255', '192.31.197.0'],
  ...['192.52.192.255', '192.52.194.0', '192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0'],
  ...['192.175.47.255', '192.175.49.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0'],
  ...['203.0.112.255', '203.0.114.0', '223.255.255.255', '1.1.1.1', '2606:4700::1111', '2a00:1450::1'],
  ...['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...['2001:db9::', '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ...['2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '3fff:1000::',
])('%s is a public address', (address) => expect(isPublicAddress(address)).toBe(true))

test.each([
  ...[
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ],
  ...['[::ffff:7f00:1]', 'localhost.', 'hooks.localhost', 'hooks.localhost.'],
])('a request to %s is refused before a connection exists, in every form of the address', async (host) => {
  const receiver = await startReceiver()
  const { port } = new URL(receiver.url)
  const posted = postWebhook(insecure, { ...request, url: `http://${host}:${port}/` }, signal)
  await expect(posted).rejects.toMatchObject({ code: 'webhooks.address_refused' })
  expect(receiver.received).toEqual([])
})

test('a host name is resolved once, and its request has the name in the header Host', async () => {
  const receiver = await startReceiver()
  const { port } = new URL(receiver.url)
  // Node would resolve the name with this function a second time, when it connects.
  const resolved = vi.spyOn(dns, 'lookup')
  onTestFinished(() => resolved.mockRestore())
  await postWebhook(local, { ...request, url: `http://localhost:${port}/` }, signal)
  expect(receiver.received[0]?.headers.host).toBe(`localhost:${port}`)
  expect(resolved).not.toHaveBeenCalled()
})

test.each([
  ...[
    'http://example.com/',
    'ftp://example.com/',
    'https://user:pw@example.com/',
    'https://user@example.com/',
  ],
  ...['https://:pw@example.com/', 'example.com', ''],
])('the URL %s is refused', (url) => {
  expect(() => endpointUrl(url, strict)).toThrow(expect.objectContaining({ code: 'webhooks.url_invalid' }))
})

test('a server without TLS receives nothing from an https endpoint', async () => {
  const receiver = await startReceiver()
  const url = receiver.url.replace('http:', 'https:')
  await expect(postWebhook(local, { ...request, url }, signal)).rejects.toThrow()
  expect(receiver.received).toEqual([])
})
