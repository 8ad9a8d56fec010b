import { randomBytes } from 'node:crypto'
import { DeleteObjectCommand, GetObjectCommand } from '@aws-sdk/client-s3'
import {
  type DoctorCheck,
  type DoctorContext,
  type Finding,
  failed,
  httpClockFinding,
  ok,
  skipped,
  warning,
} from '@vertical-kit/core-audit/doctor'
import { corsFinding } from './cors-finding.ts'
import { type FindNewestFile, newestFileFinding } from './newest-file-finding.ts'
import { stagingKey } from './object-keys.ts'
import { createS3Client } from './s3-client.ts'
import { createS3Storage, type S3StorageOptions } from './s3-storage.ts'
import { httpStatusOf } from './store-failure.ts'
import { storeFailure } from './store-failure-finding.ts'
import { doctorKeys, doctorObject, refusedObject, type StoreUnderTest } from './store-under-test.ts'
import { copyFinding, downloadFinding } from './stored-copy-findings.ts'
import { partsFinding } from './stored-parts-finding.ts'
import { unsignedHeaderFinding } from './unsigned-header-finding.ts'

export interface StoreChecksOptions extends S3StorageOptions {
  readonly findNewestFile: FindNewestFile
}

/**
 * Returns the checks of the object store. They do what an upload, a completion and a download do, in this order; a check
 * that needs a failed one is skipped.
 */
export function storeChecks(options: StoreChecksOptions): readonly DoctorCheck[] {
  const store: StoreUnderTest = {
    options,
    storage: createS3Storage(options),
    client: createS3Client(options.config, {
      ...{ endpoint: options.config.internalEndpoint, maxAttempts: 1 },
      signingNow: options.signingNow,
    }),
    body: randomBytes(32),
  }
  const reached = check('store.access', [], (context) => accessFinding(store, context))
  const uploaded = check('store.upload', [reached], (context) => uploadFinding(store, context))
  const typed = check('store.content_type', [uploaded], (context) => contentTypeFinding(store, context))
  const unsigned = check('store.unsigned_headers', [uploaded], (context) =>
    unsignedHeaderFinding(store, context),
  )
  const read = check('store.head', [uploaded], () => headFinding(store))
  // The rejected upload would replace the object, and deleting would remove it.
  const copied = check('store.copy', [read, typed], (context) => copyFinding(store, context))
  const downloaded = check('store.download', [copied], (context) => downloadFinding(store, context))
  // The parts replace the copy.
  const joined = check('store.parts', [downloaded], (context) => partsFinding(store, context))
  const rights = check('store.rights', [uploaded, joined], (context) => rightsFinding(store, context))
  return [
    { ...reached, isQuick: true },
    ...[uploaded, typed, unsigned, read, copied, downloaded, joined, rights],
    {
      ...check('store.newest_file', [reached], (context) =>
        newestFileFinding(store, options.findNewestFile, context),
      ),
      needs: [reached.name, 'database.connection'],
    },
    check('store.cors', [], (context) => corsFinding(options.config, context)),
    { ...clockCheck(options), isQuick: true },
  ]
}

/** Creates a check that waits for others, and is skipped if one of them failed. Runs once. */
function check(
  name: string,
  needed: readonly DoctorCheck[],
  find: (context: DoctorContext) => Promise<Finding>,
): DoctorCheck {
  let finding: Promise<Finding> | undefined
  const start = async (context: DoctorContext): Promise<Finding> => {
    const results = await Promise.all(needed.map((other) => other.run(context)))
    const missing = needed.find((_, index) => !['ok', 'warning'].includes(results[index]?.status ?? ''))
    if (missing !== undefined) return skipped(`Needs ${missing.name}.`)
    try {
      return await find(context)
    } catch (error) {
      return storeFailure(error)
    }
  }
  return {
    name,
    needs: needed.map((other) => other.name),
    run(context) {
      finding ??= start(context)
      return finding
    },
  }
}

/** Shorter than the limit of the doctor, so that the finding of a silent store names the key. */
const accessLimitMs = 10_000

/** Reads an object that does not exist. Only a store that knows the bucket and the keys answers `NoSuchKey`. */
async function accessFinding(
  { options, client }: StoreUnderTest,
  { signal }: DoctorContext,
): Promise<Finding> {
  const input = { Bucket: options.config.bucket, Key: stagingKey(`${doctorObject.id}-missing`) }
  const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(accessLimitMs)])
  try {
    await client.send(new GetObjectCommand(input), { abortSignal })
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'NoSuchKey') throw error
  }
  return ok('The store accepts the bucket and the keys.')
}

async function uploadFinding(store: StoreUnderTest, { signal }: DoctorContext): Promise<Finding> {
  const { url, headers } = await store.storage.signPut(doctorObject)
  const response = await fetch(url, { method: 'PUT', headers, body: store.body, signal })
  await response.body?.cancel()
  if (response.ok) return ok('A signed URL accepts an upload.')
  return failed(
    `A signed upload is refused (HTTP ${response.status}).`,
    'Check that Attachments__Storage__PublicEndpoint leads to the same store, that a proxy keeps the header Host, that ' +
      'Attachments__Storage__Region is right, and that the keys have s3:PutObject below uploads/.',
  )
}

/** The signature covers the content type, so that uploads have the declared one. */
async function contentTypeFinding(store: StoreUnderTest, { signal }: DoctorContext): Promise<Finding> {
  const { url } = await store.storage.signPut(refusedObject)
  const headers = { 'Content-Type': 'text/html' }
  const response = await fetch(url, { method: 'PUT', headers, body: 'refused', signal })
  await response.body?.cancel()
  if (!response.ok) return ok('A signed URL accepts only the signed content type.')
  return failed(
    'A signed URL accepts another content type.',
    'Use a store for Attachments__Storage__PublicEndpoint that checks signed headers.',
  )
}

async function headFinding({ storage, body }: StoreUnderTest): Promise<Finding> {
  const found = await storage.head(doctorObject.id)
  if (found === null) {
    return failed(
      'The upload through the public endpoint is missing at the internal endpoint.',
      'Let Attachments__Storage__PublicEndpoint and Attachments__Storage__InternalEndpoint lead to one store.',
    )
  }
  if (found.sizeBytes === body.byteLength && found.contentType === doctorObject.contentType) {
    return ok('The store reports the size, type and ETag of an upload.')
  }
  return failed(
    'The store reports another size or type than was uploaded.',
    'Remove the proxy that changes uploads from Attachments__Storage__PublicEndpoint.',
  )
}

/**
 * Tries to delete the objects of this run, below both prefixes, because a grant can cover only one of them. The service never
 * deletes, so its keys should not be able to.
 */
async function rightsFinding(
  { options, client }: StoreUnderTest,
  { signal }: DoctorContext,
): Promise<Finding> {
  const Bucket = options.config.bucket
  const keys = Object.values(doctorKeys)
  const outcomes = await Promise.allSettled(
    keys.map((Key) => client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal: signal })),
  )
  const deleted = keys.filter((_, index) => outcomes[index]?.status === 'fulfilled')
  if (deleted.length > 0) {
    return warning(
      `The keys can delete objects, which the service never needs. This check has deleted ${deleted.join(' and ')}.`,
      'Remove s3:DeleteObject from the rights of Attachments__Storage__AccessKey.',
    )
  }
  // Only 403 is a refusal. Any other failure says nothing about the rights.
  const failure = outcomes.find((one) => one.status === 'rejected' && httpStatusOf(one.reason) !== 403)
  if (failure?.status === 'rejected') throw failure.reason
  return ok(`The keys cannot delete; the small objects ${keys.join(' and ')} stay.`)
}

const clockCheck = ({ config: { internalEndpoint: url } }: S3StorageOptions): DoctorCheck => ({
  name: 'clock.store',
  needs: ['store.access'],
  run: (context) => httpClockFinding({ other: 'the object store', url, needed: 'store.access' }, context),
})
