import type { S3Client } from '@aws-sdk/client-s3'
import { sealedKey, stagingKey } from './object-keys.ts'
import type { ObjectStorage } from './object-storage.ts'
import type { S3StorageOptions } from './s3-storage.ts'

/** The store and the content that the checks of one run share. */
export interface StoreUnderTest {
  readonly options: S3StorageOptions
  readonly storage: ObjectStorage
  /** Calls the internal endpoint, once for each command. */
  readonly client: S3Client
  readonly body: Buffer
}

/**
 * The object that the checks write. Its id is no id of an attachment, and every run uses it: the service cannot delete, so
 * one small object stays below each prefix.
 */
export const doctorObject = { id: 'doctor', sealAttempt: 0, contentType: 'text/plain' } as const

/** The keys of the object that the checks write: before and after its copy. */
export const doctorKeys = { staged: stagingKey(doctorObject.id), sealed: sealedKey(doctorObject) } as const
