import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect, test } from 'vitest'
import type { RequestLogEntry } from '../../src/object-store/object-store.ts'
import { bucket, clientOf, codeOf, openStore, refusalOf, send, tamperingClientOf } from './harness.ts'

const key = { Bucket: bucket, Key: 'up' }

const digest = (algorithm: string, body: string) => createHash(algorithm).update(body).digest('base64')

const crc32Of = (body: string) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(body))
  return bytes.toString('base64')
}

test('the store rejects a body that differs from the signed body and stores nothing', async () => {
  const { store, client } = await openStore()
  const tampering = tamperingClientOf(store, (request) => Object.assign(request, { body: 'HELLO' }))
  const put = tampering.send(new PutObjectCommand({ ...key, Body: 'hello' }))
  expect(await refusalOf(put)).toBe('XAmzContentSHA256Mismatch')
  expect(await refusalOf(client.send(new HeadObjectCommand(key)))).toBe('NotFound')
})

test('a failed overwrite keeps the old object', async () => {
  const { store, client } = await openStore()
  await client.send(new PutObjectCommand({ ...key, Body: 'before' }))
  const tampering = tamperingClientOf(store, (request) => Object.assign(request, { body: 'HELLO' }))
  await refusalOf(tampering.send(new PutObjectCommand({ ...key, Body: 'hello' })))
  expect(await (await client.send(new GetObjectCommand(key))).Body?.transformToString()).toBe('before')
})

test.each([
  ['ContentMD5', digest('md5', 'hello')],
  ['ChecksumSHA256', digest('sha256', 'hello')],
  ['ChecksumSHA1', digest('sha1', 'hello')],
  ['ChecksumCRC32', crc32Of('hello')],
])('the store accepts a body that matches %s and rejects any other body', async (name, value) => {
  const { client } = await openStore()
  const put = (Body: string) => client.send(new PutObjectCommand({ ...key, Body, [name]: value }))
  expect(await refusalOf(put('HELLO'))).toBe('BadDigest')
  expect((await put('hello')).ETag).toBeDefined()
})

test('the store rejects an unsupported checksum', async () => {
  const { client } = await openStore()
  const put = new PutObjectCommand({ ...key, Body: 'hello', ChecksumCRC64NVME: 'AAAAAAAAAAA=' })
  expect(await refusalOf(client.send(put))).toBe('NotImplemented')
})

test.each(['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'])(
  'the store rejects a payload signed as %s',
  async (hash) => {
    const { store } = await openStore()
    const client = clientOf(store)
    client.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { headers: object }).headers, { 'x-amz-content-sha256': hash })
        return next(args)
      },
      { step: 'build' },
    )
    expect(await refusalOf(client.send(new PutObjectCommand({ ...key, Body: 'hello' })))).toBe(
      'NotImplemented',
    )
  },
)

test('the store rejects a body of unknown length', async () => {
  const { client } = await openStore()
  const url = await getSignedUrl(client, new PutObjectCommand(key))
  const answer = await send(url, { method: 'PUT', body: 'x', headers: { 'Transfer-Encoding': 'chunked' } })
  expect([answer.status, codeOf(answer)]).toEqual([411, 'MissingContentLength'])
})

test('the store rejects a body larger than 5 GiB before receiving the body', async () => {
  const { client } = await openStore()
  const url = new URL(await getSignedUrl(client, new PutObjectCommand(key)))
  const socket = connect(Number(url.port), url.hostname)
  socket.write(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`)
  socket.end(`Content-Length: ${5 * 1024 ** 3 + 1}\r\nConnection: close\r\n\r\n`)
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 .*<Code>EntityTooLarge</s)
})

test('the store rejects a body for an operation that accepts no body', async () => {
  const { client } = await openStore()
  await client.send(new PutObjectCommand({ ...key, Body: 'hello' }))
  const url = await getSignedUrl(client, new GetObjectCommand(key))
  expect(codeOf(await send(url, { headers: { 'Content-Length': 1 }, body: 'x' }))).toBe('InvalidRequest')
})

test.each(['end', 'destroy'] as const)(
  'an upload that ends early (socket.%s) keeps the old object',
  async (breakOff) => {
    const ended = Promise.withResolvers<RequestLogEntry>()
    const log = (entry: RequestLogEntry) => {
      if (entry.errorCode) ended.resolve(entry)
    }
    const { store, client, directory } = await openStore({ log })
    await client.send(new PutObjectCommand({ ...key, Body: 'before' }))
    const url = new URL(await getSignedUrl(client, new PutObjectCommand(key)))
    const { reached } = store.faults.before('PutObject', async () => {})

    const socket = connect(Number(url.port), url.hostname).on('error', () => {})
    socket.write(
      `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 10\r\n\r\nhalf`,
    )
    await reached
    if (breakOff === 'end') socket.end()
    else socket.destroy()

    expect((await ended.promise).errorCode).toBe('IncompleteBody')
    expect(await readdir(join(directory, '.incoming'))).toEqual([])
    expect(await (await client.send(new GetObjectCommand(key))).Body?.transformToString()).toBe('before')
  },
)
