import { createAttachments } from '@vertical-kit/attachments'
import { newId } from '@vertical-kit/core-audit'
import type { AuditEventPage } from '@vertical-kit/core-audit/contract'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attachmentsFeature } from '../src/module.ts'
import {
  allPermissions,
  attach,
  createParents,
  expectJson,
  newTarget,
  openAttachmentsHost,
  openStore,
  readTestConfig,
  refusalOf,
  targetParameters,
} from './harness.ts'

let store: Awaited<ReturnType<typeof openStore>>

beforeAll(async () => {
  store = await openStore()
})
afterAll(() => store.close())

test('while the feature is off, every route returns 404 feature.disabled, even to administrators', async () => {
  const host = await openAttachmentsHost({
    store: null,
    environment: { Attachments__Storage__InternalEndpoint: 'not even an address' },
  })
  const administrator = await host.as({ subject: 'root', roles: ['platform-admin'] })
  const parameters = targetParameters(newTarget())
  const id = newId()
  for (const [method, path] of [
    ['GET', `/api/attachments?${parameters}`],
    ['GET', '/api/attachments'],
    ['POST', '/api/attachments/uploads'],
    ['POST', `/api/attachments/${id}/complete`],
    ['POST', `/api/attachments/${id}/download`],
    ['POST', `/api/attachments/${id}/audit-download`],
    ['DELETE', `/api/attachments/${id}`],
    ['GET', `/api/business-objects/content-summary?${parameters}`],
  ] as const) {
    expect(await refusalOf(await administrator(method, path))).toEqual({
      status: 404,
      code: 'feature.disabled',
    })
  }
  await host.close()
})

test.each([
  ['on', 'false', ['upload-expiration', 'store-clock']],
  ['on', 'true', ['upload-expiration', 'store-clock']],
  ['off', 'true', ['upload-expiration']],
  ['off', 'false', []],
])(
  'if the feature is %s and UploadExpirationEnabled is %s, the workers are %j',
  async (feature, expiration, names) => {
    const host = await openAttachmentsHost({
      store: feature === 'on' ? store : null,
      environment: { Attachments__UploadExpirationEnabled: expiration },
    })
    const workers = host.attachments.workers ?? []
    expect(workers.map(({ name }) => name)).toEqual(names.map((name) => `attachments.${name}`))
    await host.close()
  },
)

test('the timeline hides attachment events while the feature is off and shows them when it is on again', async () => {
  const host = await openAttachmentsHost({ store })
  const clerk = await host.as({ subject: 'clerk', permissions: [...allPermissions, 'system.audit.view'] })
  const { target } = await attach(clerk)
  const off = await openAttachmentsHost({ store: null, databaseUrl: host.databaseUrl })
  const on = await openAttachmentsHost({ store, databaseUrl: host.databaseUrl })
  const countEvents = async ({ as }: typeof host) => {
    const request = await as({ subject: 'clerk' })
    const response = await request('GET', `/api/audit/events?${targetParameters(target)}`)
    return (await expectJson<AuditEventPage>(response, 200)).items.length
  }
  expect(await countEvents(host)).toBe(2)
  expect(await countEvents(off)).toBe(0)
  expect(await countEvents(on)).toBe(2)
  await Promise.all([off.close(), on.close()])
  await host.close()
})

test('callers without the permission to read attachments see no attachment events and no count', async () => {
  const host = await openAttachmentsHost({ store })
  const clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
  const { target } = await attach(clerk)
  const auditor = await host.as({ subject: 'auditor', permissions: ['system.audit.view'] })
  const timeline = await auditor('GET', `/api/audit/events?${targetParameters(target)}`)
  expect(await expectJson(timeline, 200)).toMatchObject({ items: [] })
  const summary = await auditor('GET', `/api/business-objects/content-summary?${targetParameters(target)}`)
  expect(await expectJson(summary, 200)).toEqual({ attachments: null, notes: null })
  await host.close()
})

test('createAttachments throws a TypeError if the feature is on but no storage is configured', () => {
  const database = createDatabase({ ...databaseDefaults, url: 'postgres://nobody@127.0.0.1:1/none' })
  const features = createFeatureFlags({
    definitions: [attachmentsFeature],
    values: new Map([[attachmentsFeature.code, true]]),
  })
  const config = readTestConfig({ store: null })
  expect(() =>
    createAttachments({ database, features, config, businessObjects: createParents(new Set()) }),
  ).toThrow(new TypeError('config.storage is required while the Attachments feature is on'))
})

test('a host starts even if its store cannot be reached', async () => {
  const host = await openAttachmentsHost({
    store,
    environment: { Attachments__Storage__InternalEndpoint: 'http://127.0.0.1:1' },
  })
  const clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
  expect((await clerk('GET', `/api/attachments?${targetParameters(newTarget())}`)).status).toBe(200)
  await host.close()
})

test('the OpenAPI document contains every route with its permission and HTTP statuses', async () => {
  const host = await openAttachmentsHost({ store })
  const document = (await (await host.app.request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string; 'x-permission': string; responses: object }>>
  }
  expect(document.paths['/api/attachments/{id}']?.['delete']).toMatchObject({
    'x-permission-alternatives': ['system.attachments.create'],
  })
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/attachments'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method} ${path}`,
        operation.operationId,
        operation['x-permission'],
        Object.keys(operation.responses).join(' '),
      ]),
    )
  expect(operations).toEqual([
    ['get /api/attachments', 'listAttachments', 'system.attachments.read', '200 400 401 403 404 429 500 503'],
    [
      'post /api/attachments/uploads',
      'createUpload',
      'system.attachments.create',
      '201 400 401 403 404 409 413 415 429 500 503',
    ],
    [
      'get /api/attachments/{id}/parts',
      'listUploadedParts',
      'system.attachments.create',
      '200 401 403 404 409 429 500 503',
    ],
    [
      'post /api/attachments/{id}/parts',
      'signUploadParts',
      'system.attachments.create',
      '200 400 401 403 404 409 413 415 429 500 503',
    ],
    [
      'post /api/attachments/{id}/complete',
      'completeUpload',
      'system.attachments.create',
      '200 401 403 404 409 429 500 503',
    ],
    [
      'post /api/attachments/{id}/download',
      'createDownload',
      'system.attachments.read',
      '200 401 403 404 409 429 500 503',
    ],
    [
      'post /api/attachments/{id}/audit-download',
      'createAuditDownload',
      'system.attachments.read',
      '200 401 403 404 409 429 500 503',
    ],
    [
      'delete /api/attachments/{id}',
      'deleteAttachment',
      'system.attachments.delete',
      '204 400 401 403 404 429 500 503',
    ],
  ])
  await host.close()
})
