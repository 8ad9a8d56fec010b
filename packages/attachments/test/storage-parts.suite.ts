import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { newId } from '@vertical-kit/core-audit'
import { describe, expect, test } from 'vitest'
import type { ObjectStorage, PartsUpload, StoredPart } from '../src/storage/object-storage.ts'
import { chunks } from './chunks.ts'

/** The store that the tests use, once it is open. */
export interface OpenStorage {
  readonly storage: ObjectStorage
  readonly bucket: string
}

const contentType = 'text/plain'

/** Defines tests for the behaviour that uploads in parts expect from a store. */
export function describeParts(store: () => OpenStorage): void {
  const download = async (id: string) =>
    fetch((await store().storage.signGet({ id, sealAttempt: 0, fileName: 'a.txt' })).url)

  describe('an upload in parts', () => {
    const partBytes = 5 * 1024 ** 2
    const part = (letter: string, sizeBytes = partBytes) => Buffer.alloc(sizeBytes, letter)
    const start = async () => {
      const id = newId()
      return { id, uploadId: await store().storage.startParts({ id, contentType }) }
    }
    const send = async (upload: PartsUpload, partNumber: number, body: Uint8Array<ArrayBuffer>) => {
      const sizeBytes = body.byteLength
      const { url, headers } = await store().storage.signPart({ ...upload, partNumber, sizeBytes })
      const { status } = await fetch(url, { method: 'PUT', headers, body })
      return status
    }
    const listed = async (upload: PartsUpload) => (await store().storage.listParts(upload)) ?? []
    const join = async (upload: PartsUpload, parts?: readonly StoredPart[]) =>
      store().storage.joinParts({
        ...upload,
        parts: parts ?? (await listed(upload)),
        sizeBytes: partBytes + 1,
      })
    const downloaded = async ({ id }: PartsUpload) => Buffer.from(await (await download(id)).arrayBuffer())

    test('becomes one file with the declared type, from the parts in the order of their numbers', async () => {
      const upload = await start()
      expect(await send(upload, 2, part('b', 1))).toBe(200)
      expect(await send(upload, 1, part('a'))).toBe(200)
      expect(await listed(upload)).toEqual([
        { partNumber: 1, sizeBytes: partBytes, etag: expect.any(String) },
        { partNumber: 2, sizeBytes: 1, etag: expect.any(String) },
      ])
      expect(await store().storage.headJoined(upload.id)).toBeNull()
      expect((await download(upload.id)).status).toBe(404)
      expect(await join(upload)).toBe('joined')
      expect(await store().storage.headJoined(upload.id)).toMatchObject({
        sizeBytes: partBytes + 1,
        contentType,
      })
      expect((await downloaded(upload)).equals(Buffer.concat([part('a'), part('b', 1)]))).toBe(true)
    })

    test('cannot be joined with a part that was replaced after it was listed', async () => {
      const upload = await start()
      await send(upload, 1, part('a', 5))
      const parts = await listed(upload)
      await send(upload, 1, part('b', 5))
      expect(await join(upload, parts)).toBe('changed')
      expect(await store().storage.headJoined(upload.id)).toBeNull()
      expect(await join(upload)).toBe('joined')
      expect((await downloaded(upload)).toString()).toBe('bbbbb')
    })

    test('is joined once, and then its URLs change nothing', async () => {
      const upload = await start()
      await send(upload, 1, part('a', 5))
      const parts = await listed(upload)
      // Ceph answers 500 to a call during another one, and repeats its answer afterwards.
      const outcomes = await Promise.allSettled([join(upload, parts), join(upload, parts)])
      expect(outcomes).toContainEqual({ status: 'fulfilled', value: 'joined' })
      expect(await send(upload, 1, part('b', 5))).toBe(404)
      expect(await store().storage.listParts(upload)).toBeNull()
      expect(['unknown', 'joined']).toContain(await join(upload, parts))
      expect((await downloaded(upload)).toString()).toBe('aaaaa')
    })

    test('has more parts than one page of the list', async () => {
      const upload = await start()
      const numbers = Array.from({ length: 1_001 }, (_, index) => index + 1)
      for (const number of numbers) await send(upload, number, part('a', 1))
      expect((await listed(upload)).map(({ partNumber }) => partNumber)).toEqual(numbers)
    })

    test('does not accept a part of another length, or a copy of another object', async () => {
      const [upload, secret] = [await start(), newId()]
      await store().storage.put({ id: secret, contentType, sizeBytes: 6, body: chunks('SECRET') })
      const copying = { 'x-amz-copy-source': `/${store().bucket}/attachments/${secret}` }
      const { url } = await store().storage.signPart({ ...upload, partNumber: 1, sizeBytes: 6 })
      for (const [headers, body] of [
        [{}, 'hello'],
        [{}, 'hello, world'],
        [copying, ''],
        [copying, 'SECRET'],
      ] as const) {
        const { status } = await fetch(url, { method: 'PUT', headers, body })
        expect(status).toBeGreaterThanOrEqual(400)
      }
      expect(await listed(upload)).toEqual([])
    })

    test('is not changed by a part that begins before the join and ends after it', async () => {
      const upload = await start()
      const { url } = await store().storage.signPart({ ...upload, partNumber: 1, sizeBytes: 5 })
      await send(upload, 1, part('a', 5))
      const late = startRequest(url, 5)
      await late.connected
      expect(await join(upload)).toBe('joined')
      expect(await late.finish('bbbbb')).toBe(404)
      expect((await downloaded(upload)).toString()).toBe('aaaaa')
    })

    test('does not accept a part under another number, or for another file', async () => {
      const [upload, other] = [await start(), await start()]
      const { url } = await store().storage.signPart({ ...upload, partNumber: 1, sizeBytes: 5 })
      for (const changed of [
        url.replace('partNumber=1', 'partNumber=2'),
        url.replace(upload.id, other.id),
        url.replace(/uploadId=[^&]+/, `uploadId=${encodeURIComponent(other.uploadId)}`),
        url.replace(/&?uploadId=[^&]+/, '').replace(/&?partNumber=1/, ''),
      ]) {
        expect(changed).not.toBe(url)
        expect((await fetch(changed, { method: 'PUT', body: 'hello' })).status).toBe(403)
      }
      expect(await listed(other)).toEqual([])
    })
  })
}

/** Starts a PUT request, whose body follows later. */
function startRequest(url: string, sizeBytes: number) {
  const sending = request(url, { method: 'PUT', headers: { 'Content-Length': sizeBytes } })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  sending.flushHeaders()
  return {
    connected: once(sending, 'socket').then(([socket]) =>
      socket.connecting ? once(socket, 'connect') : null,
    ),
    async finish(body: string): Promise<number | undefined> {
      sending.end(body)
      const [response] = await answered
      response.resume()
      return response.statusCode
    },
  }
}
