import { type ObjectStore, type RequestLogEntry, startObjectStore } from '@vertical-kit/dev-services'
import {
  type BusinessObjectReference,
  createClient,
  isKitError,
  type KitError,
} from '@vertical-kit/ui-client'
import {
  type AttachmentsStore,
  createAttachments,
  type FileUpload,
  openSession,
  type Session,
} from '@vertical-kit/ui-client/stores'
import { onTestFinished } from 'vitest'
import { accessToken, dataFolder, externalStore, type OpenDemo, openDemo } from '../demo-process.ts'
import { createGate, type Gate } from './gate.ts'
import { until } from './until.ts'

/** A demo over an object store of the test's own, whose faults are at hand. */
export interface AttachmentsStage {
  readonly demo: OpenDemo
  readonly store: ObjectStore
  /** What the store has answered since it was last emptied. */
  readonly stored: RequestLogEntry[]
  /** A user's session over a gate, and the attachments of an object. Both end with the test. */
  open(user: string, target?: BusinessObjectReference): Promise<OpenAttachments>
  /** A new object without files. */
  newTarget(): Promise<BusinessObjectReference>
  close(): Promise<void>
}

export interface OpenAttachments extends AttachmentsStore {
  readonly session: Session
  readonly target: BusinessObjectReference
  readonly gate: Gate
}

export async function openAttachmentsStage(
  environment: Readonly<Record<string, string>> = {},
): Promise<AttachmentsStage> {
  const folder = await dataFolder()
  const stored: RequestLogEntry[] = []
  const store = await startObjectStore({
    directory: folder.path,
    buckets: ['vertical-kit-attachments'],
    credentials: [{ accessKeyId: 'demo', secretAccessKey: 'demo-secret-key' }],
    // Not `Date`, which a test may move on for the page alone.
    clock: () => new Date(performance.timeOrigin + performance.now()),
    log: (entry) => stored.push(entry),
  })
  const demo = await openDemo({ ...externalStore(store.url), ...environment })
  const newTarget = async (): Promise<BusinessObjectReference> => {
    const request = await demo.as('clerk')
    const response = await request('POST', '/api/catalogs/trade.item', { body: { name: 'Item', fields: {} } })
    const { id } = (await response.json()) as { id: string }
    return { kind: 'CatalogItem', typeCode: 'trade.item', id }
  }
  return {
    demo,
    store,
    stored,
    newTarget,
    async open(user, given) {
      const target = given ?? (await newTarget())
      const gate = createGate()
      const token = await accessToken(demo.issuer, user)
      const client = createClient({
        baseUrl: demo.url,
        accessToken: () => token,
        fetch: gate.fetch,
        // What the service asks for between two attempts is not what these tests are about.
        wait: async () => {},
      })
      const session = openSession({ client, userId: user })
      onTestFinished(() => session.close())
      return { ...createAttachments(session, target), session, target, gate }
    },
    async close() {
      await demo.close()
      await store.close()
      await folder.remove()
    },
  }
}

/** A file that can be told from others by its size. */
export const fileOf = (name: string, sizeBytes: number, type = 'text/plain'): File =>
  new File([new Uint8Array(sizeBytes).fill(65)], name, { type })

/** Resolves when nothing is on its way any more. */
export async function untilDone({ $uploads }: AttachmentsStore): Promise<void> {
  const left = await until($uploads, (uploads) => uploads.every(({ status }) => status === 'failed'))
  for (const upload of left) if (upload.status === 'failed') throw upload.error
}

/** Resolves with the only upload once it is in this state. */
export async function untilStatus<S extends FileUpload['status']>(
  { $uploads }: AttachmentsStore,
  status: S,
): Promise<Extract<FileUpload, { status: S }>> {
  const [upload] = await until($uploads, ([first]) => first?.status === status)
  return upload as Extract<FileUpload, { status: S }>
}

/** The error a value must be. */
export function errorOf(value: unknown): KitError {
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : value
  if (!isKitError(error)) throw new Error(`No error: ${JSON.stringify(value)}`)
  return error
}
