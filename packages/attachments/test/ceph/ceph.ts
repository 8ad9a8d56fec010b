import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  type BucketLifecycleConfiguration,
  type CORSConfiguration,
  CreateBucketCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { freePort } from '../../../../vitest.free-port.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('start-ceph', import.meta.url))

/** A running gateway with one bucket. The user of the application does not own the bucket. */
export interface Ceph {
  readonly url: string
  readonly bucket: string
  /** The access key of the application. The bucket policy limits what this key can do. */
  readonly accessKeyId: string
  readonly secretAccessKey: string
  close(): Promise<void>
}

/** The bucket settings that an operator copies from the README. */
export interface BucketSetUp {
  readonly bucket: string
  /** The policy for the principal `arn:aws:iam:::user/app`. */
  readonly policy: string
  readonly lifecycle: BucketLifecycleConfiguration
  readonly cors: CORSConfiguration
}

/** Starts Ceph's RADOS Gateway, which keeps all data in memory. The start takes about 12 seconds. */
export async function startCeph(setUp: BucketSetUp): Promise<Ceph> {
  const directory = await mkdtemp(join(tmpdir(), 'attachments-ceph-'))
  const [s3Port, monitorPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${s3Port}`
  const close = async () => {
    await run(script, [directory, 'stop'])
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await run(script, [directory, String(s3Port), String(monitorPort)], { timeout: 240_000 })
    await createBucket(url, setUp)
    return { url, bucket: setUp.bucket, accessKeyId: 'app-key', secretAccessKey: 'app-secret', close }
  } catch (error) {
    await close()
    throw error
  }
}

async function createBucket(
  endpoint: string,
  { bucket, policy, lifecycle, cors }: BucketSetUp,
): Promise<void> {
  const owner = new S3Client({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'owner-key', secretAccessKey: 'owner-secret' },
    forcePathStyle: true,
  })
  await owner.send(new CreateBucketCommand({ Bucket: bucket }))
  await owner.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: policy }))
  await owner.send(
    new PutBucketLifecycleConfigurationCommand({ Bucket: bucket, LifecycleConfiguration: lifecycle }),
  )
  await owner.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: cors }))
  owner.destroy()
}
