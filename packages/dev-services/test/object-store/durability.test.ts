import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { expect, onTestFinished, test } from 'vitest'
import type { RequestLogEntry } from '../../src/object-store/object-store.ts'
import { bucket, clientOf, credentials, openStore, refusalOf, temporaryDirectory } from './harness.ts'
import { startUpload, uploadBytes } from './slow-upload.ts'

const key = { Bucket: bucket, Key: 'a' }
const upload = new PutObjectCommand(key)

test('objects survive a restart of the store', async () => {
  const { store, client, directory } = await openStore()
  const put = new PutObjectCommand({
    ...key,
    Body: 'kept',
    ContentType: 'text/plain',
    Metadata: { by: 'first' },
  })
  const { ETag } = await client.send(put)
  await store.close()

  const { client: later } = await openStore({ directory })
  const got = await later.send(new GetObjectCommand(key))
  expect(await got.Body?.transformToString()).toBe('kept')
  expect(got).toMatchObject({ ETag, ContentType: 'text/plain', Metadata: { by: 'first' } })
  const listed = await later.send(new ListObjectsV2Command({ Bucket: bucket }))
  expect(listed.Contents?.map(({ Key }) => Key)).toEqual(['a'])
})

test('a store killed during an overwrite keeps the old object', async () => {
  const directory = await temporaryDirectory()
  const child = await forkStore(directory)
  const client = clientOf(child)
  await client.send(new PutObjectCommand({ ...key, Body: 'before' }))

  const incoming = join(directory, '.incoming')
  await startUpload(await getSignedUrl(client, upload), incoming)
  await child.kill()
  // The folder of an upload in parts that was being completed.
  await mkdir(join(incoming, '0-ended'))

  expect(await readdir(incoming)).toHaveLength(2)
  const { client: later } = await openStore({ directory })
  expect(await (await later.send(new GetObjectCommand(key))).Body?.transformToString()).toBe('before')
  expect(await readdir(incoming)).toEqual([])
})

test('closing a store during an upload leaves no unfinished files', async () => {
  const { store, client, directory } = await openStore()
  const incoming = join(directory, '.incoming')
  await startUpload(await getSignedUrl(client, upload), incoming)
  await store.close()
  expect(await readdir(incoming)).toEqual([])
  expect(await readdir(join(directory, bucket))).toEqual([])
})

test('a second store on the same directory and port is rejected, and the first store completes its uploads', async () => {
  const { store, client, directory } = await openStore()
  const finishUpload = await startUpload(await getSignedUrl(client, upload), join(directory, '.incoming'))
  const port = Number(new URL(store.url).port)
  await expect(openStore({ directory, port, startsEmpty: true })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
  expect(await finishUpload()).toBe(200)
  expect((await client.send(new HeadObjectCommand(key))).ContentLength).toBe(uploadBytes)
})

test('a store on another port leaves the unfinished uploads of a running process', async () => {
  const directory = await temporaryDirectory()
  const child = await forkStore(directory)
  const client = clientOf(child)
  const finishUpload = await startUpload(await getSignedUrl(client, upload), join(directory, '.incoming'))
  const { client: second } = await openStore({ directory })
  expect(await finishUpload()).toBe(200)
  expect((await second.send(new HeadObjectCommand(key))).ContentLength).toBe(uploadBytes)
  await child.kill()
})

test('a store that starts empty has no objects of earlier runs', async () => {
  const { store, client, directory } = await openStore()
  await client.send(new PutObjectCommand({ ...key, Body: 'earlier' }))
  await store.close()
  const { client: later } = await openStore({ directory, startsEmpty: true })
  expect((await later.send(new ListObjectsV2Command({ Bucket: bucket }))).KeyCount).toBe(0)
})

test('a reader receives the object that it opened, even if a write replaces the object', async () => {
  const { client } = await openStore()
  const old = 'o'.repeat(3_000_000)
  await client.send(new PutObjectCommand({ ...key, Body: old }))
  const { Body } = await client.send(new GetObjectCommand(key))
  await client.send(new PutObjectCommand({ ...key, Body: 'new' }))
  expect((await Body?.transformToString()) === old).toBe(true)
  expect(await (await client.send(new GetObjectCommand(key))).Body?.transformToString()).toBe('new')
})

test.each([
  ['its last byte', (file: Buffer) => file.subarray(0, -1)],
  ['its first byte', (file: Buffer) => file.subarray(1)],
  ['all bytes after the third', (file: Buffer) => file.subarray(0, 3)],
])('reading an object file without %s fails and returns no wrong bytes', async (_what, damage) => {
  const entries: RequestLogEntry[] = []
  const { client, directory } = await openStore({ log: (entry) => entries.push(entry) })
  await client.send(new PutObjectCommand({ ...key, Body: 'whole' }))
  const [name = ''] = await readdir(join(directory, bucket))
  const path = join(directory, bucket, name)
  await writeFile(path, damage(await readFile(path)))
  expect(await refusalOf(client.send(new GetObjectCommand(key)))).toBe('InternalError')
  expect(entries.at(-1)?.error).toMatchObject({ message: expect.stringContaining('is damaged') })
})

async function forkStore(directory: string) {
  const options = { directory, buckets: [bucket], credentials: [credentials] }
  const child = fork(new URL('./store-process.ts', import.meta.url), [JSON.stringify(options)], {
    execArgv: ['--conditions=@vertical-kit/source'],
  })
  const exited = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  const [url] = await once(child, 'message')
  return { url: String(url), kill }
}
