import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { isKitError } from '@vertical-kit/core-audit'
import type { ObjectStore } from '@vertical-kit/dev-services'
import { onTestFinished } from 'vitest'
import { bucket, credentials } from './harness.ts'

/** The name and content type of a file that server code creates. */
export const report = { fileName: 'report.pdf', contentType: 'application/pdf' }

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Yields the bytes of each text. Then throws `failure`, unless it is undefined. */
export async function* chunks(texts: readonly string[], failure?: Error): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text)
  if (failure !== undefined) throw failure
}

/** Returns the keys of all objects in a store. */
export async function storedKeys(store: ObjectStore): Promise<readonly string[]> {
  const client = new S3Client({ endpoint: store.url, region: 'us-east-1', credentials, forcePathStyle: true })
  onTestFinished(() => client.destroy())
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
  return Contents.map(({ Key }) => Key ?? '')
}

/** Returns the code and context of a refusal, the message of any other error, or `null` if the promise resolves. */
export async function refusalBy(promise: Promise<unknown>): Promise<object | string | null> {
  const outcome: unknown = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (isKitError(outcome)) {
    const { code, context } = outcome
    return { code, ...(context === undefined ? {} : { context }) }
  }
  return outcome instanceof Error ? outcome.message : null
}
