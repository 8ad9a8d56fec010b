import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openPostgresClient } from '../../src/database/client.ts'
import { type Connection, type ConnectionOptions, openConnection } from '../../src/database/connection.ts'
import { openDatabase } from '../harness.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await openDatabase()
})
afterAll(() => fresh.drop())

test('a connection has no maximum age, because the driver would end it also in use', async () => {
  const client = openPostgresClient(fresh.url)
  onTestFinished(() => client.end(0))
  expect(client.sql.options.max_lifetime).toBeNull()
})

function open(url: string, options: Partial<ConnectionOptions> = {}): Connection {
  const connection = openConnection(url, { answerDeadlineMs: 30_000, ...options })
  onTestFinished(() => connection.end(connection.isLost ? 0 : 1))
  return connection
}

/** Starts the server on a free port of 127.0.0.1 for one test, and returns the port. */
async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Returns a port without a listener. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return port
}

/** Returns the database address with one host for each port, all on 127.0.0.1. */
function withPorts(...ports: readonly number[]): string {
  const url = new URL(fresh.url)
  return fresh.url.replace(url.host, ports.map((port) => `127.0.0.1:${port}`).join())
}

const one = (connection: Connection) => connection.statement<{ one: number }>('select 1 as one')

test('with several hosts, the connection uses the first host that answers', async () => {
  const { port } = new URL(fresh.url)
  const connection = open(withPorts(await deadPort(), await deadPort(), Number(port)))
  expect([...(await one(connection))]).toEqual([{ one: 1 }])
})

test('a host that accepts a connection and stays silent costs one connection its time, not its statement', async () => {
  const silent = { connections: 0 }
  const port = await listen(
    createServer((socket) => {
      silent.connections += 1
      socket.on('error', () => {})
    }),
  )
  const url = withPorts(port, Number(new URL(fresh.url).port))
  for (let count = 0; count < 2; count += 1) {
    expect([...(await one(open(url, { connect_timeout: 5 })))]).toEqual([{ one: 1 }])
  }
  expect(silent.connections).toBe(1)
})

test('after a host that refuses the sign-in, the next connection begins with the next host', async () => {
  const refusing = await listen(
    createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(fatal('57P03')))
    }),
  )
  const url = withPorts(refusing, Number(new URL(fresh.url).port))
  const lost = Promise.withResolvers<void>()
  await expect(one(open(url, { onLost: lost.resolve }))).rejects.toMatchObject({ code: '57P03' })
  await lost.promise
  expect([...(await one(open(url)))]).toEqual([{ one: 1 }])
})

test('connections that open at the same time all begin with a first host that works', async () => {
  let connections = 0
  const second = await listen(
    createServer((socket) => {
      connections += 1
      socket.on('error', () => {})
    }),
  )
  const url = withPorts(Number(new URL(fresh.url).port), second)
  const [first, ...others] = Array.from({ length: 3 }, () => one(open(url)))
  await first
  await Promise.all([...others, one(open(url))])
  expect(connections).toBe(0)
})

/** The message with which a server refuses a connection. */
function fatal(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mthe database system is starting up\0\0`)
  const head = Buffer.from('E....')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

test('a password that arrives after the end of its connection opens none', async () => {
  const accepted: number[] = []
  const port = await listen(createServer(({ remotePort = 0 }) => accepted.push(remotePort)))
  const password = Promise.withResolvers<string>()
  const url = withPorts(port).replace(/\/\/[^@]+@/, '//app@')
  const connection = open(url, { answerDeadlineMs: 100, password: () => password.promise })
  await expect(one(connection)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  password.resolve('secret')
  await password.promise
  // The server accepts connections in their order.
  const own = connect(port, '127.0.0.1')
  onTestFinished(() => void own.destroy())
  await once(own, 'connect')
  await expect.poll(() => accepted).toEqual([own.localPort])
})

test('if none of several hosts can be reached, the statement is rejected and the connection is lost', async () => {
  const onLost = vi.fn()
  const connection = open(withPorts(await deadPort(), await deadPort()), { onLost })
  await expect(one(connection)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(connection.isLost).toBe(true)
  expect(onLost).toHaveBeenCalledOnce()
})

test('a statement is rejected after the server has closed two connection attempts', async () => {
  let count = 0
  const port = await listen(
    createServer((socket) => {
      count += 1
      socket.end()
    }),
  )
  const connection = open(withPorts(port))
  await expect(one(connection)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(count).toBe(2)
})

test('a statement after the end of a connection is rejected and does not reopen the connection', async () => {
  const connection = open(fresh.url)
  await one(connection)
  await connection.end(5)
  await expect(one(connection)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
})

/** TLS options for a pre-shared key, which needs no certificates. */
const tls = { ciphers: 'PSK', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const
const psk = Buffer.from('a key that only this test knows')

/**
 * Starts a proxy that accepts TLS connections and forwards to the PostgreSQL server, which has no TLS. `silence` stops the
 * forwarding. `closed` resolves when the first connection closes.
 */
async function startTlsServer() {
  const server = new URL(fresh.url)
  let isSilent = false
  const { promise: closed, resolve: resolveClosed } = Promise.withResolvers<void>()
  const port = await listen(
    createServer((raw) => {
      raw.on('error', () => {})
      raw.once('data', () => {
        raw.write('S')
        const client = new TLSSocket(raw, { ...tls, isServer: true, pskCallback: () => psk } as object)
        const upstream = connect(Number(server.port), server.hostname)
        client.on('error', () => upstream.destroy())
        raw.on('close', () => {
          upstream.destroy()
          resolveClosed()
        })
        upstream.on('close', () => client.destroy())
        upstream.on('error', () => {})
        client.on('data', (bytes: Buffer) => isSilent || upstream.write(bytes))
        upstream.on('data', (bytes: Buffer) => isSilent || client.write(bytes))
      })
    }),
  )
  const options = {
    ...tls,
    pskCallback: () => ({ psk, identity: 'test' }),
    checkServerIdentity: () => undefined,
  }
  return {
    url: withPorts(port),
    options,
    closed,
    silence() {
      isSilent = true
    },
  }
}

test('a TLS connection works, and is destroyed when the server stops answering', async () => {
  const server = await startTlsServer()
  const onLost = vi.fn()
  const connection = open(server.url, { ssl: server.options, answerDeadlineMs: 3_000, onLost })
  expect([...(await one(connection))]).toEqual([{ one: 1 }])
  server.silence()
  const commit = connection.begin(async (runner) => runner.statement('select 2 as two'))
  await expect(commit).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  expect(onLost).toHaveBeenCalledOnce()
  await server.closed
})

test('a script can run longer than the answer deadline', async () => {
  const connection = open(fresh.url, { answerDeadlineMs: 1_000 })
  await one(connection)
  await connection.begin((runner) => runner.script('select pg_sleep(1.2)'))
  expect(connection.isLost).toBe(false)
})
