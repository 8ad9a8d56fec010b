import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bucket, createBucket } from './bucket.ts'
import { S3Error } from './errors.ts'
import { createMultipartUploads, type MultipartUploads } from './multipart-uploads.ts'
import { isAbandoned } from './unfinished-objects.ts'

/** Finds a configured bucket by name. Throws `NoSuchBucket` for unknown names. */
export type FindBucket = (name: string) => BucketOnDisk

/** A bucket with its unfinished multipart uploads. */
export interface BucketOnDisk extends Bucket {
  readonly uploads: MultipartUploads
}

export interface DiskOptions {
  readonly directory: string
  readonly buckets: readonly string[]
  readonly clock: () => Date
}

/*
 * The folders of unfinished objects and of multipart uploads. They cannot collide with a bucket, because their names are
 * not valid bucket names.
 */
const incomingFolder = '.incoming'
const uploadsFolder = '.uploads'

/**
 * Opens the directory. Creates missing folders and removes unfinished objects of processes that have ended. Multipart
 * uploads stay: their clients can continue them.
 */
export async function openDisk({ directory, buckets, clock }: DiskOptions): Promise<FindBucket> {
  const incoming = join(directory, incomingFolder)
  await mkdir(incoming, { recursive: true })
  for (const name of await readdir(incoming))
    if (isAbandoned(name)) await rm(join(incoming, name), { recursive: true, force: true })

  const found = new Map<string, BucketOnDisk>()
  for (const name of buckets) {
    const folder = join(directory, name)
    await mkdir(folder, { recursive: true })
    const bucket = createBucket({ folder, incoming, clock })

    const uploads = join(directory, uploadsFolder, name)
    await mkdir(uploads, { recursive: true })
    found.set(name, {
      ...bucket,
      uploads: createMultipartUploads({ bucket, folder: uploads, incoming, clock }),
    })
  }
  return (name) => {
    const bucket = found.get(name)
    if (!bucket) throw new S3Error('NoSuchBucket', 'The specified bucket does not exist')
    return bucket
  }
}
