import {
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandInput,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  ListPartsCommand,
  type ListPartsCommandInput,
  type S3Client,
  UploadPartCommand,
  type UploadPartCommandInput,
} from '@aws-sdk/client-s3'
import type { ObjectStoreOptions } from '../../src/object-store/object-store.ts'
import { bucket, openStore } from './harness.ts'

/** The smallest size of a part that is not the last: 5 MiB. */
export const minPartBytes = 5 * 1024 ** 2

export const key = { Bucket: bucket, Key: 'large' }

/** Opens a store with an unfinished upload. */
export async function openUpload(
  input: Partial<CreateMultipartUploadCommandInput> = {},
  options: Partial<ObjectStoreOptions> = {},
) {
  const opened = await openStore(options)
  const { UploadId } = await opened.client.send(new CreateMultipartUploadCommand({ ...key, ...input }))
  const uploadId = UploadId ?? ''
  return { ...opened, uploadId, ...callsOf(opened.client, uploadId) }
}

/** Returns functions that send the requests of an upload. */
export function callsOf(client: S3Client, UploadId: string) {
  const upload = { ...key, UploadId }
  return {
    /** Uploads a part and returns its entry in the list of a completion. */
    async put(PartNumber: number, Body: string | Buffer, input: Partial<UploadPartCommandInput> = {}) {
      const part = new UploadPartCommand({ ...upload, PartNumber, Body, ...input })
      const { ETag } = await client.send(part)
      return { PartNumber, ETag }
    },
    list: (input: Partial<ListPartsCommandInput> = {}) =>
      client.send(new ListPartsCommand({ ...upload, ...input })),
    complete: (
      Parts: { PartNumber: number; ETag: string | undefined }[],
      input: Partial<CompleteMultipartUploadCommandInput> = {},
    ) => client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts }, ...input })),
    read: async () => (await client.send(new GetObjectCommand(key))).Body?.transformToString(),
  }
}
