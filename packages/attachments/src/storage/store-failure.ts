import { AttachmentsError } from '../errors.ts'

/** What the service asks the store to do. */
type Operation = 'HeadObject' | 'CopyObject' | 'PutObject'

/** Why a call to the store failed, in words that are safe in a log: no key, no header, nothing the store sent. */
class StoreFailure extends Error {
  /** Whether the store may yet change something, because nothing came back that says otherwise. */
  readonly isInDoubt: boolean

  constructor(operation: Operation, error: unknown) {
    const status = httpStatusOf(error)
    super(`${operation} failed: ${nameOf(error)}${status === undefined ? '' : ` (HTTP ${status})`}`)
    this.name = 'StoreFailure'
    const isAnswered = status !== undefined && !proxyStatuses.has(status)
    this.isInDoubt = operation === 'CopyObject' && !isAnswered
  }
}

/** Answers of something between us and the store that gave up waiting for it. */
const proxyStatuses: ReadonlySet<number> = new Set([502, 504])

/** The refusal a client gets whatever went wrong at the store; the log gets the cause. */
export function storageUnavailable(operation: Operation, error: unknown): Error {
  return new AttachmentsError('attachments.storage_unavailable', {
    cause: new StoreFailure(operation, error),
  })
}

/** The failure of a store whose answer lacks something required. */
export const incompleteAnswer = (code: string): Error =>
  Object.assign(new Error('The store left out what an answer must have.'), { code })

/** Whether a refusal leaves open what the store did or will do. */
export function leavesDoubt(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof StoreFailure && error.cause.isInDoubt
}

/** The HTTP status the store answered with, as the SDK keeps it; `undefined` when there was no answer. */
export function httpStatusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return undefined
  const { $metadata: metadata } = error as { $metadata: { httpStatusCode?: number } }
  return metadata.httpStatusCode
}

/** S3's error code, or Node's (`ECONNREFUSED`), or the kind of error: all from closed sets of words. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : error.name
}
