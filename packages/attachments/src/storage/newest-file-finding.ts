import { HeadObjectCommand } from '@aws-sdk/client-s3'
import { type DoctorContext, type Finding, failed, ok, skipped } from '@vertical-kit/core-audit/doctor'
import type { StoredFile } from '../queries/find-newest-file.ts'
import { sealedKey } from './object-keys.ts'
import { httpStatusOf } from './store-failure.ts'
import type { StoreUnderTest } from './store-under-test.ts'

/** Reads the newest file of the database, or null if there is none. */
export type FindNewestFile = () => Promise<StoredFile | null>

/** Looks for the newest file in the bucket, which can be that of another database or, after a restore, an older one. */
export async function newestFileFinding(
  { options, client }: StoreUnderTest,
  findNewestFile: FindNewestFile,
  { signal }: DoctorContext,
): Promise<Finding> {
  const file = await findNewestFile().catch(() => undefined)
  if (file === undefined) return skipped('Needs database.connection.')
  if (file === null) return ok('The database has no file yet.')
  const head = new HeadObjectCommand({ Bucket: options.config.bucket, Key: sealedKey(file) })
  const sizeBytes = await client.send(head, { abortSignal: signal }).then(
    ({ ContentLength }) => ContentLength,
    (error: unknown) => {
      if (httpStatusOf(error) !== 404) throw error
    },
  )
  if (sizeBytes === file.sizeBytes) return ok('The bucket has the newest file of the database.')
  return failed(
    'The bucket does not have the newest file of the database.',
    'Correct Attachments__Storage__Bucket, or restore a bucket that is at least as new as the database.',
  )
}
