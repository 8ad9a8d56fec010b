import { AttachmentsError } from '../errors.ts'

/** The store operations of the service. */
type Operation =
  | 'HeadObject'
  | 'CopyObject'
  | 'PutObject'
  | 'GetObject'
  | 'CreateMultipartUpload'
  | 'ListParts'
  | 'CompleteMultipartUpload'

/** A failed call to the store. The message contains no key, no header and no text from the store, so it is safe to log. */
class StoreFailure extends Error {
  constructor(operation: Operation, error: unknown) {
    const status = httpStatusOf(error)
    super(`${operation} failed: ${nameOf(error)}${status === undefined ? '' : ` (HTTP ${status})`}`)
    this.name = 'StoreFailure'
  }
}

/** Creates the error for a failed call to the store. Clients see only the code; the log also contains the cause. */
export function storageUnavailable(operation: Operation, error: unknown): Error {
  return new AttachmentsError('attachments.storage_unavailable', {
    cause: new StoreFailure(operation, error),
  })
}

/** Creates the error for a response of the store that lacks a required value. */
export const incompleteAnswer = (code: string): Error =>
  Object.assign(new Error('The answer of the store lacks a required value.'), { code })

/** Returns the ETag without quotes, because Ceph's gateway omits the quotes in the result of a copy. */
export function requireETag(header: string | undefined): string {
  const etag = header?.replace(/^(?:W\/)?"(.*)"$/, '$1') ?? ''
  if (etag === '') throw incompleteAnswer('NO_ETAG')
  return etag
}

/** Returns the HTTP status that the SDK recorded, or `undefined` if the store did not answer. */
export function httpStatusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return undefined
  const { $metadata: metadata } = error as { $metadata: { httpStatusCode?: number } }
  return metadata.httpStatusCode
}

/** Returns whether the store reports a failed condition. The status 412 without this code can be that of a proxy. */
export const isConditionFailed = (error: unknown): boolean =>
  error instanceof Error && error.name === 'PreconditionFailed'

/** Returns the error code (such as `ECONNREFUSED`) or the error name. Neither can contain data of a request. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : error.name
}
