import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ObjectStore, type RequestLogEntry, startObjectStore } from '@vertical-kit/dev-services'
import { type BusinessObjectReference, isKitError, type KitError } from '@vertical-kit/ui-client'
import { type AttachmentsStore, attachmentsStore, type FileUpload } from '@vertical-kit/ui-client/stores'
import { type Host, openHost, storageAt, storeCredentials } from '../host/deployment.ts'
import type { HostOptions } from '../host/start-host.ts'
import { type SignedIn, signIn, targetOf } from '../signed-in.ts'
import { until } from './until.ts'

/** A host with its own object store. Tests can inject faults into this object store. */
export interface AttachmentsStage {
  readonly host: Host
  readonly store: ObjectStore
  /** The requests that the object store has received since the test last cleared this list. */
  readonly stored: RequestLogEntry[]
  /** Opens a user's session, and the attachments of an object (by default a new invoice). Both end with the test. */
  open(user: string, target?: BusinessObjectReference): Promise<OpenAttachments>
  close(): Promise<void>
}

export interface OpenAttachments extends AttachmentsStore, SignedIn {
  readonly target: BusinessObjectReference
}

export async function openAttachmentsStage(
  environment: Readonly<Record<string, string>> = {},
  options: HostOptions = {},
): Promise<AttachmentsStage> {
  const directory = await mkdtemp(join(tmpdir(), 'ui-client-'))
  const stored: RequestLogEntry[] = []
  const store = await startObjectStore({
    directory,
    buckets: ['vertical-kit-attachments'],
    credentials: [storeCredentials],
    // This clock is independent of `Date`, because a test changes `Date` for the page only.
    clock: () => new Date(performance.timeOrigin + performance.now()),
    log: (entry) => stored.push(entry),
  })
  const host = await openHost({ ...storageAt(store.url), ...environment }, options)
  return {
    host,
    store,
    stored,
    async open(user, given) {
      const target = given ?? targetOf(await host.addInvoice())
      const signedIn = await signIn(host, user)
      return { ...attachmentsStore(signedIn.session, target), ...signedIn, target }
    },
    async close() {
      await host.close()
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Returns a file with this size. */
export const fileOf = (name: string, sizeBytes: number, type = 'text/plain'): File =>
  new File([new Uint8Array(sizeBytes).fill(65)], name, { type })

/** Resolves when all uploads are done. Rejects with the error if an upload fails. */
export async function untilDone({ $uploads }: AttachmentsStore): Promise<void> {
  const left = await until($uploads, (uploads) => uploads.every(({ status }) => status === 'failed'))
  for (const upload of left) if (upload.status === 'failed') throw upload.error
}

/** Resolves with the first upload when its status equals `status`. */
export async function untilStatus<S extends FileUpload['status']>(
  { $uploads }: AttachmentsStore,
  status: S,
): Promise<Extract<FileUpload, { status: S }>> {
  const [upload] = await until($uploads, ([first]) => first?.status === status)
  return upload as Extract<FileUpload, { status: S }>
}

/** Returns the KitError in a value. Throws if the value contains no KitError. */
export function errorOf(value: unknown): KitError {
  const error = typeof value === 'object' && value !== null && 'error' in value ? value.error : value
  if (!isKitError(error)) throw new Error(`No error: ${JSON.stringify(value)}`)
  return error
}
