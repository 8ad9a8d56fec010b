import { CopyObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { bucket, clientOf, openStore, refusalOf, send } from './harness.ts'

const key = { Bucket: bucket, Key: 'a' }

async function openWithHello() {
  const { store, client } = await openStore()
  const put = await client.send(new PutObjectCommand({ ...key, Body: 'hello' }))
  const head = () => client.send(new HeadObjectCommand(key))
  const swap = () => client.send(new PutObjectCommand({ ...key, Body: 'swapped' }))
  const sealCommand = new CopyObjectCommand({
    Bucket: bucket,
    Key: 'sealed',
    CopySource: `${bucket}/a`,
    CopySourceIfMatch: put.ETag,
    IfNoneMatch: '*',
  })
  const readSealed = async () => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'sealed' }))
    return Body?.transformToString()
  }
  const seal = () => client.send(sealCommand)
  return { store, faults: store.faults, head, swap, seal, sealCommand, readSealed }
}

test('a fault fails the configured number of calls, and later calls succeed', async () => {
  const { faults, head, seal } = await openWithHello()
  faults.fail({ status: 503, times: 2, operations: ['HeadObject'] })
  const statuses: unknown[] = []
  for (let call = 0; call < 3; call += 1) {
    const { $metadata } = await head().catch((error: { $metadata: { httpStatusCode: number } }) => error)
    statuses.push($metadata.httpStatusCode)
  }
  expect(statuses).toEqual([503, 503, 200])
  faults.fail({ status: 500, operations: ['CopyObject'] })
  expect(await refusalOf(seal())).toBe('InternalError')
})

test('a fault affects only the operations that it names', async () => {
  const { faults, head, seal } = await openWithHello()
  faults.fail({ status: 503, operations: ['CopyObject'] })
  expect((await head()).ContentLength).toBe(5)
  expect(await refusalOf(seal())).toBe('ServiceUnavailable')
})

test('a hanging call waits until the fault is cleared', async () => {
  const { faults, head } = await openWithHello()
  const hang = faults.hang({ operations: ['HeadObject'] })
  let isAnswered = false
  const answer = head().then((output) => {
    isAnswered = true
    return output
  })
  expect(await hang.reached).toEqual({ operation: 'HeadObject', bucket, key: 'a' })
  expect(isAnswered).toBe(false)
  hang.clear()
  expect((await answer).ContentLength).toBe(5)
  expect((await head()).ContentLength).toBe(5)
})

test('closing the store drops hanging calls', async () => {
  const { store, faults, swap } = await openWithHello()
  const hang = faults.hang()
  const refusal = swap().catch((error: Error) => error.name)
  await hang.reached
  await store.close()
  expect(await refusal).not.toBe('NoSuchKey')
  await expect(send(store.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('a delayed call responds after its delay or when the fault is cleared', async () => {
  const { faults, head } = await openWithHello()
  const startedAtMs = performance.now()
  const short = faults.delay({ delayMs: 60, operations: ['HeadObject'] })
  await head()
  // Timers can fire up to one millisecond early.
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(59)
  short.clear()

  const endless = faults.delay({ delayMs: 2 ** 31 - 1 })
  const answer = head()
  await endless.reached
  endless.clear()
  expect((await answer).ContentLength).toBe(5)
})

test('an unreachable store drops connections until the fault is cleared', async () => {
  const { store, faults, head } = await openWithHello()
  const hang = faults.hang()
  const held = head().catch((error: { code?: string }) => error)
  await hang.reached
  const outage = faults.unreachable()
  expect(await held).toMatchObject({ code: 'ECONNRESET' })
  await expect(send(store.url)).rejects.toMatchObject({ code: 'ECONNRESET' })
  faults.clear()
  outage.clear()
  expect((await head()).ContentLength).toBe(5)
})

test('a conditional copy is rejected if a hook replaces the source right before the copy runs', async () => {
  const { faults, head, swap, seal, readSealed } = await openWithHello()
  await head()
  faults.before('CopyObject', swap)
  expect(await refusalOf(seal())).toBe('PreconditionFailed')
  expect(await refusalOf(readSealed())).toBe('NoSuchKey')
})

test('a store that ignores copy conditions copies the object that replaced the source', async () => {
  const { faults, swap, seal, readSealed } = await openWithHello()
  faults.before('CopyObject', swap)
  const ignoring = faults.ignoreCopyConditions()
  const { CopyObjectResult } = await seal()
  expect(await readSealed()).toBe('swapped')
  expect(CopyObjectResult?.ETag).toMatch(/^[0-9a-f]{32}$/)
  expect((await seal()).CopyObjectResult?.ETag).toBe(CopyObjectResult?.ETag)
  ignoring.clear()
  expect(await refusalOf(seal())).toBe('PreconditionFailed')
})

test('HEAD returns the object that its hook wrote', async () => {
  const { faults, head, swap } = await openWithHello()
  const hook = faults.before('HeadObject', swap)
  expect((await head()).ContentLength).toBe('swapped'.length)
  expect(await hook.reached).toEqual({ operation: 'HeadObject', bucket, key: 'a' })
})

test('clearing all faults restores normal operation', async () => {
  const { store, faults, sealCommand } = await openWithHello()
  faults.fail({ status: 500 })
  faults.ignoreCopyConditions()
  faults.unreachable()
  faults.clear()
  // Use a new client: the first one has not detected yet that its connection is closed.
  const { CopyObjectResult } = await clientOf(store).send(sealCommand)
  expect(CopyObjectResult?.ETag).toContain('"')
})

test('faults do not affect unauthenticated requests', async () => {
  const { store, faults } = await openWithHello()
  faults.fail({ status: 500 })
  expect((await send(`${store.url}/${bucket}/a`)).status).toBe(403)
})
