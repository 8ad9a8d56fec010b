import { expect, test } from 'vitest'
import { endpointUrl, postWebhook } from '../src/post.ts'
import { isPublicAddress } from '../src/public-address.ts'
import { local, startReceiver } from './harness.ts'

const strict = { allowPrivateAddresses: false, allowInsecureHttp: false }
const insecure = { ...strict, allowInsecureHttp: true }
const { signal } = new AbortController()
const request = { headers: {}, body: '{}' }

test.each([
  ...[
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '168.63.129.16',
  ],
  ...['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1'],
  ...['198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::a00:1', '100::1', 'fc00::1'],
  ...[
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:a00:1::',
  ],
  ...['3fff::1', 'localhost', '', '1.2.3'],
])('%s is not a public address', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each([
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
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
  '[::ffff:7f00:1]',
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
  await postWebhook(local, { ...request, url: `http://localhost:${port}/` }, signal)
  expect(receiver.received[0]?.headers.host).toBe(`localhost:${port}`)
})

test.each(['http://example.com/', 'ftp://example.com/', 'https://user:pw@example.com/', 'example.com', ''])(
  'the URL %s is refused',
  (url) => {
    expect(() => endpointUrl(url, strict)).toThrow(expect.objectContaining({ code: 'webhooks.url_invalid' }))
  },
)

test('a server without TLS receives nothing from an https endpoint', async () => {
  const receiver = await startReceiver()
  const url = receiver.url.replace('http:', 'https:')
  await expect(postWebhook(local, { ...request, url }, signal)).rejects.toThrow()
  expect(receiver.received).toEqual([])
})
