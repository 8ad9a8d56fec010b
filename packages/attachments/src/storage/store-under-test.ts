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
 * these small objects stay below both prefixes.
 */
export const doctorObject = { id: 'doctor', sealAttempt: 0, contentType: 'text/plain' } as const

/** The object of requests that a store should refuse. It does not replace the other one, which later checks read. */
export const refusedObject = { ...doctorObject, id: 'doctor-refused' } as const

/** The keys of the object that the checks write: before and after its copy. */
export const doctorKeys = { staged: stagingKey(doctorObject.id), sealed: sealedKey(doctorObject) } as const
