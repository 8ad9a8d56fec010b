import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AttachmentsConfig,
  type AttachmentsOptions,
  attachmentsFeature,
  attachmentsMigrations,
  createAttachments,
  readAttachmentsConfig,
} from '@vertical-kit/attachments'
import type {
  Attachment,
  MultipartUpload,
  PresignedParts,
  PresignedUpload,
  Upload,
} from '@vertical-kit/attachments/contract'
import { auditTimeline, newId } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { coreMigrations, type Database } from '@vertical-kit/core-audit/database'
import { contentSummary, readConfiguration } from '@vertical-kit/core-audit/host'
import { type BusinessObjects, createBusinessObjects } from '@vertical-kit/core-audit/objects'
import {
  expectJson,
  migrationTemplate,
  openTestHost,
  refusalOf as problemOf,
  type TestHost,
  type TestHostOptions,
  type TestRequest,
} from '@vertical-kit/core-audit/testing'
import {
  type FreshDatabase,
  freshDatabase,
  type ObjectStore,
  startObjectStore,
} from '@vertical-kit/dev-services'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { inject } from 'vitest'
import { pooled } from '../../../vitest.pooled-database.ts'

export { expectJson } from '@vertical-kit/core-audit/testing'

/** Creates a new migrated database for a test file. */
export async function openDatabase(): Promise<FreshDatabase> {
  const template = await migrationTemplate('attachments', [coreMigrations, attachmentsMigrations])
  return freshDatabase(inject('postgresUrl'), { template })
}

export const bucket = 'vertical-kit-attachments'
export const credentials = { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key-canary' }

/** The clock of the system, also in tests that shift the clock of their process. */
const SystemDate = Date

/**
 * Starts a store with an empty bucket on a free port, with its own clock. `close` also deletes the folder of the store.
 */
export async function openStore(clockShiftMs = 0): Promise<ObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 'attachments-store-'))
  const clock = () => new SystemDate(SystemDate.now() + clockShiftMs)
  const store = await startObjectStore({ directory, buckets: [bucket], credentials: [credentials], clock })
  return {
    ...store,
    async close() {
      await store.close()
      await rm(directory, { recursive: true })
    },
  }
}

/** Returns the environment variables of a deployment that uses the store at this endpoint. */
export const storageEnvironment = (endpoint: string): Record<string, string> => ({
  Attachments__Storage__InternalEndpoint: endpoint,
  Attachments__Storage__PublicEndpoint: endpoint,
  Attachments__Storage__AllowInsecureHttp: 'true',
  Attachments__Storage__AccessKey: credentials.accessKeyId,
  Attachments__Storage__SecretKey: credentials.secretAccessKey,
})

export interface AttachmentsHostOptions {
  /** The object store. `null` turns the feature off. */
  readonly store: ObjectStore | null
  readonly environment?: Readonly<Record<string, string>>
  readonly database?: TestHostOptions['database']
  readonly now?: () => number
  readonly scanner?: AttachmentsOptions['scanner']
  /** The URL of an existing database. Default: a new database. */
  readonly databaseUrl?: string
  readonly sealLeaseMs?: number
  readonly scanTimeoutMs?: number
}

/** A test host with attachments, the content summary and the audit timeline. */
export interface AttachmentsHost extends TestHost {
  readonly config: AttachmentsConfig
  /** The ids of the business objects that no caller is allowed to read. */
  readonly hidden: Set<string>
  readonly attachments: ReturnType<typeof createAttachments>
  readonly databaseUrl: string
}

const typeCode = 'trade.sales_invoice'

/** Registers one document type. All documents exist, and callers can read all of them except the ids in `hidden`. */
export function createParents(hidden: ReadonlySet<string>): BusinessObjects {
  return createBusinessObjects([
    { kind: 'Document', typeCodes: [typeCode], isReadable: async (_db, _caller, { id }) => !hidden.has(id) },
  ])
}

/** Returns a reference to a business object without attachments. */
export const newTarget = (): BusinessObjectReference => ({ kind: 'Document', typeCode, id: newId() })

export const targetParameters = ({ kind, typeCode: code, id }: BusinessObjectReference): string =>
  `kind=${kind}&typeCode=${code}&objectId=${id}`

export function readTestConfig({
  store,
  environment,
  sealLeaseMs,
  scanTimeoutMs,
}: AttachmentsHostOptions): AttachmentsConfig {
  const config = readConfiguration(
    { ...(store === null ? {} : storageEnvironment(store.url)), ...environment },
    (env) => readAttachmentsConfig(env, { isEnabled: store !== null }),
  )
  return {
    ...config,
    ...(sealLeaseMs === undefined ? {} : { sealLeaseMs }),
    ...(scanTimeoutMs === undefined ? {} : { scanTimeoutMs }),
  }
}

export async function openAttachmentsHost(options: AttachmentsHostOptions): Promise<AttachmentsHost> {
  const fresh = options.databaseUrl === undefined ? await openDatabase() : null
  const databaseUrl = options.databaseUrl ?? fresh?.url ?? ''
  const config = readTestConfig(options)
  const hidden = new Set<string>()
  const made = Promise.withResolvers<ReturnType<typeof createAttachments>>()
  const host = await openTestHost({
    databaseUrl: pooled(databaseUrl).url,
    database: { ...pooled(databaseUrl), ...options.database },
    modules(database) {
      const businessObjects = createParents(hidden)
      const attachments = createAttachments(moduleOptions({ database, businessObjects, config, options }))
      made.resolve(attachments)
      return [
        attachments,
        auditTimeline({ database, businessObjects, modules: [attachments] }),
        contentSummary({ database, businessObjects, modules: [attachments] }),
      ]
    },
  })
  return {
    ...host,
    config,
    hidden,
    attachments: await made.promise,
    databaseUrl,
    async close() {
      await host.close()
      await fresh?.drop()
    },
  }
}

function moduleOptions(parts: {
  readonly database: Database
  readonly businessObjects: BusinessObjects
  readonly config: AttachmentsConfig
  readonly options: AttachmentsHostOptions
}): AttachmentsOptions {
  const { options, ...rest } = parts
  const features = createFeatureFlags({
    definitions: [attachmentsFeature],
    values: new Map([[attachmentsFeature.code, options.store !== null]]),
  })
  const { now, scanner } = options
  return { ...rest, features, ...(now && { now }), ...(scanner && { scanner }) }
}

export const allPermissions = ['read', 'create', 'delete'].map((action) => `system.attachments.${action}`)

/** The default declaration: a text file of five bytes. */
export const hello = { fileName: 'hello.txt', contentType: 'text/plain', sizeBytes: 5 }
const helloBytes = 'hello'

/** A reservation whose bytes are sent in one request. */
export interface PutUpload extends Upload {
  upload: PresignedUpload
}

/** Reserves an upload for the user of `request`. Fails if the response is not 201. */
export async function reserve(
  request: TestRequest,
  declared: Partial<typeof hello> & {
    readonly target?: BusinessObjectReference
    readonly sha256?: string | null
  } = {},
): Promise<PutUpload> {
  const body = { target: newTarget(), ...hello, ...declared }
  return expectJson<PutUpload>(await request('POST', '/api/attachments/uploads', { body }), 201)
}

/** Uploads the bytes of a reservation like a browser: with exactly the returned headers and without credentials. */
export async function put({ upload }: PutUpload, bytes: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(upload.url, { method: upload.method, headers: upload.headers, body: bytes })
}

/** A reservation whose bytes are sent in parts. */
export interface PartsUpload extends Upload {
  upload: MultipartUpload
}

/** Reserves an upload in parts for the user of `request`. Fails if the response is not 201. */
export async function reserveParts(
  request: TestRequest,
  declared: Partial<typeof hello> & { readonly sha256?: string } = {},
): Promise<PartsUpload> {
  const body = { target: newTarget(), ...hello, ...declared, multipart: true }
  return expectJson<PartsUpload>(await request('POST', '/api/attachments/uploads', { body }), 201)
}

/** Signs one part of an upload and returns its URL. */
export async function signedPart(request: TestRequest, id: string, partNumber = 1): Promise<string> {
  const response = await request('POST', `/api/attachments/${id}/parts`, {
    body: { partNumbers: [partNumber] },
  })
  const { items } = await expectJson<PresignedParts>(response, 200)
  return items[0]?.url ?? ''
}

/** Uploads the bytes of a part like a browser: without credentials. Returns the status. */
export async function putPart(url: string, bytes: string | Uint8Array<ArrayBuffer>): Promise<number> {
  return (await fetch(url, { method: 'PUT', body: bytes })).status
}

/** Reserves a file of five bytes in one part and uploads the part, but does not complete the upload. */
export async function reserveAndPutPart(request: TestRequest): Promise<PartsUpload> {
  const reserved = await reserveParts(request)
  const status = await putPart(await signedPart(request, reserved.attachment.id), helloBytes)
  if (status !== 200) throw new Error(`The store answered ${status}`)
  return reserved
}

/** Reserves and uploads a file, but does not complete the upload. */
export async function reserveAndPut(
  request: TestRequest,
  options: Parameters<typeof reserve>[1] = {},
): Promise<PutUpload> {
  const reserved = await reserve(request, options)
  const stored = await put(reserved, helloBytes)
  if (!stored.ok) throw new Error(`The store answered ${stored.status}: ${await stored.text()}`)
  return reserved
}

export const complete = (request: TestRequest, id: string): Promise<Response> =>
  request('POST', `/api/attachments/${id}/complete`)

/** Reserves, uploads and completes a file. Returns the ready attachment. */
export async function attach(
  request: TestRequest,
  options: Parameters<typeof reserve>[1] = {},
): Promise<Attachment> {
  const { attachment } = await reserveAndPut(request, options)
  return expectJson<Attachment>(await complete(request, attachment.id), 200)
}

/** Requests the download URL of an attachment and returns the downloaded text. */
export async function downloadedText(request: TestRequest, id: string): Promise<string> {
  const { url } = await expectJson<{ url: string }>(
    await request('POST', `/api/attachments/${id}/download`),
    200,
  )
  return (await fetch(url)).text()
}

/** Returns the status, code and context of an error response. */
export async function refusalOf(response: Response) {
  const { status, code, context } = await problemOf(response)
  return { status, code, ...(context === undefined ? {} : { context }) }
}
