import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { webhooksDefaults } from '../src/config.ts'
import { postWebhook } from '../src/post.ts'
import { resolveHost } from '../src/resolve-host.ts'

const types = { a: 1, aaaa: 28 }
const request = { url: 'https://hooks.example/', headers: {}, body: '{}' }
const { signal } = new AbortController()

/** Starts a name server that answers every question with the addresses of its type. It answers no question of a silent type. */
async function startNameServer(addresses: readonly string[], silent: readonly number[] = []) {
  const server = createSocket('udp4')
  const asked = Promise.withResolvers<void>()
  server.on('message', (query, { port, address }) => {
    const type = query.readUInt16BE(query.indexOf(0, 12) + 1)
    asked.resolve()
    if (!silent.includes(type)) server.send(answerTo(query, type, addresses), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    /** A resolver that asks only this server. */
    makeResolver() {
      const resolver = new Resolver()
      resolver.setServers([`127.0.0.1:${server.address().port}`])
      return resolver
    },
    /** Resolves when the first question has arrived. */
    asked: asked.promise,
  }
}

/** @see RFC 1035 §4.1 */
function answerTo(query: Buffer, type: number, addresses: readonly string[]): Buffer {
  const question = query.subarray(12, query.indexOf(0, 12) + 5)
  const answers = addresses
    .filter((address) => (isIPv4(address) ? types.a : types.aaaa) === type)
    .map((address) => bytesOf(address))
    .map((bytes) =>
      Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length]), bytes]),
    )
  const header = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, answers.length, 0, 0, 0, 0])
  query.copy(header, 0, 0, 2)
  return Buffer.concat([header, question, ...answers])
}

/** The bytes of an IPv4 address, or of an IPv6 address without `::`. */
const bytesOf = (address: string): Buffer =>
  isIPv4(address)
    ? Buffer.from(address.split('.').map(Number))
    : Buffer.from(
        address
          .split(':')
          .map((part) => part.padStart(4, '0'))
          .join(''),
        'hex',
      )

const v6 = '2606:4700:0:0:0:0:0:1111'

test('a name has all of its addresses, IPv4 first', async () => {
  const server = await startNameServer([v6, '1.1.1.1', '8.8.8.8'])
  expect(await resolveHost('hooks.example', server.makeResolver(), signal)).toEqual([
    { address: '1.1.1.1', family: 4 },
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ])
})

test('a name without IPv4 addresses has those of IPv6, and the reverse', async () => {
  const only6 = await startNameServer([v6])
  const only4 = await startNameServer(['1.1.1.1'])
  expect(await resolveHost('hooks.example', only6.makeResolver(), signal)).toHaveLength(1)
  expect(await resolveHost('hooks.example', only4.makeResolver(), signal)).toHaveLength(1)
})

test.each([
  { addresses: ['10.1.2.3'] },
  { addresses: ['1.1.1.1', '10.1.2.3'] },
  { addresses: ['1.1.1.1', 'fd00:0:0:0:0:0:0:1'] },
])('a name with the addresses $addresses is refused before a connection exists', async ({ addresses }) => {
  const server = await startNameServer(addresses)
  const posted = postWebhook(webhooksDefaults, request, signal, server.makeResolver())
  await expect(posted).rejects.toMatchObject({ code: 'webhooks.address_refused' })
})

test('a name without addresses fails with the error of the name server', async () => {
  const server = await startNameServer([])
  const posted = postWebhook(webhooksDefaults, request, signal, server.makeResolver())
  await expect(posted).rejects.toMatchObject({ code: 'ENODATA' })
})

test('a request whose name servers do not answer ends with its signal', async () => {
  const server = await startNameServer([], [types.a, types.aaaa])
  const stop = new AbortController()
  const resolver = server.makeResolver()
  const cancelled = vi.spyOn(resolver, 'cancel')
  const posted = postWebhook(webhooksDefaults, request, stop.signal, resolver)
  await server.asked
  stop.abort(new Error('The host stops.'))
  await expect(posted).rejects.toThrow('The host stops.')
  expect(cancelled).toHaveBeenCalled()
})
