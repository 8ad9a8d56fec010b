import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bucket, createBucket } from './bucket.ts'
import { S3Error } from './errors.ts'

/** Finds a configured bucket by name. Throws `NoSuchBucket` for unknown names. */
export type FindBucket = (name: string) => Bucket

export interface DiskOptions {
  readonly directory: string
  readonly buckets: readonly string[]
  readonly clock: () => Date
}

/** The folder of unfinished objects. It cannot collide with a bucket, because its name is not a valid bucket name. */
const incomingFolder = '.incoming'

/** Opens the directory; only one process can use it. Creates missing folders and removes unfinished objects. */
export async function openDisk({ directory, buckets, clock }: DiskOptions): Promise<FindBucket> {
  const incoming = join(directory, incomingFolder)
  await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming, { recursive: true })

  const found = new Map<string, Bucket>()
  for (const name of buckets) {
    const folder = join(directory, name)
    await mkdir(folder, { recursive: true })
    found.set(name, createBucket({ folder, incoming, clock }))
  }
  return (name) => {
    const bucket = found.get(name)
    if (!bucket) throw new S3Error('NoSuchBucket', 'The specified bucket does not exist')
    return bucket
  }
}
