import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { createAttachments } from '@vertical-kit/attachments'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { expect, inject, onTestFinished, test } from 'vitest'
import { attachmentsFeature } from '../../src/module.ts'
import { anchorStore } from '../../src/storage/anchor-store.ts'
import { bucket, createParents, credentials, openStore, readTestConfig } from '../harness.ts'
import { refusalBy, storedKeys } from '../stored-files.ts'

const anchor = (digit: string) => {
  const hash = digit.repeat(64)
  return { sequence: 7, hash, text: `7:${hash}` }
}

const configWith = (store: Awaited<ReturnType<typeof openStore>>, AuditAnchors: string) =>
  readTestConfig({ store, environment: { Attachments__Storage__AuditAnchors: AuditAnchors } })

test('each anchor is stored once below audit-anchors/, and none replaces another one', async () => {
  const store = await openStore()
  onTestFinished(() => store.close())
  const { storage: config } = configWith(store, 'true')
  if (config === null) throw new Error('No storage')
  const storeAnchor = anchorStore({ config, signingNow: Date.now })
  for (const digit of ['a', 'b', 'a']) await storeAnchor(anchor(digit))
  const keys = ['a', 'b'].map((digit) => `audit-anchors/000000000007-${digit.repeat(64)}`)
  expect(await storedKeys(store)).toEqual(keys)
  const client = new S3Client({ endpoint: store.url, region: 'us-east-1', credentials, forcePathStyle: true })
  onTestFinished(() => client.destroy())
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keys[0] }))
  expect(await Body?.transformToString()).toBe(`${anchor('a').text}\n`)
})

test('an unavailable store rejects an anchor', async () => {
  const store = await openStore()
  const { storage: config } = configWith(store, 'true')
  await store.close()
  if (config === null) throw new Error('No storage')
  const storeAnchor = anchorStore({ config, signingNow: Date.now })
  expect(await refusalBy(storeAnchor(anchor('a')))).toEqual({ code: 'attachments.storage_unavailable' })
})

test.each([
  ['a success without an ETag', 200],
  ['a failed condition without the code of the store', 412],
])('%s rejects an anchor: a proxy has answered', async (_answer, status) => {
  const proxy = createServer(
    (request, response) => void request.resume().on('end', () => response.writeHead(status).end()),
  )
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void proxy.close())
  const { storage: config } = configWith(
    { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` } as Awaited<
      ReturnType<typeof openStore>
    >,
    'true',
  )
  if (config === null) throw new Error('No storage')
  const storeAnchor = anchorStore({ config, signingNow: Date.now })
  expect(await refusalBy(storeAnchor(anchor('a')))).toEqual({ code: 'attachments.storage_unavailable' })
})

test.each([
  ['true', 'function'],
  ['false', 'undefined'],
])('with AuditAnchors=%s, storeAnchor of the module is of the type %s', async (value, type) => {
  const store = await openStore()
  onTestFinished(() => store.close())
  const database = createDatabase({ ...databaseDefaults, url: inject('postgresUrl') })
  onTestFinished(() => database.close())
  const { storeAnchor } = createAttachments({
    ...{ database, businessObjects: createParents(new Set()) },
    features: createFeatureFlags({
      definitions: [attachmentsFeature],
      values: new Map([[attachmentsFeature.code, true]]),
    }),
    config: configWith(store, value),
  })
  expect(typeof storeAnchor).toBe(type)
})
