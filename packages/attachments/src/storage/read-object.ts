import { addAbortSignal, Readable } from 'node:stream'
import { GetObjectCommand, type GetObjectCommandInput, type S3Client } from '@aws-sdk/client-s3'
import { incompleteAnswer, storageUnavailable } from './store-failure.ts'

/**
 * Reads an object at the pace of the caller. An abort of the signal also ends the body, which then throws.
 * @throws {AttachmentsError} attachments.storage_unavailable if the store does not begin to send the object
 */
export async function readObject(
  client: S3Client,
  input: GetObjectCommandInput,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  try {
    const { Body } = await client.send(new GetObjectCommand(input), { abortSignal: signal })
    if (!(Body instanceof Readable)) throw incompleteAnswer('NO_BODY')
    return addAbortSignal(signal, Body)
  } catch (error) {
    throw storageUnavailable('GetObject', error)
  }
}
