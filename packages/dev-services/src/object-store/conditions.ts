import { S3Error } from './errors.ts'
import type { StoredObject } from './object-file.ts'

export type ConditionOutcome = 'met' | 'failed' | 'not-modified'

/** Returns the value of a condition such as `if-match`. A copy reads it from `x-amz-copy-source-if-match`. */
export type ReadCondition = (
  name: 'if-match' | 'if-none-match' | 'if-modified-since' | 'if-unmodified-since',
) => string | undefined

/** Evaluates the conditions of a request in the order of RFC 9110 §13.2.2. */
export function evaluateConditions(read: ReadCondition, object: StoredObject): ConditionOutcome {
  const match = read('if-match')
  const unmodifiedSince = read('if-unmodified-since')
  if (match !== undefined) {
    if (!names(match, object)) return 'failed'
  } else if (unmodifiedSince !== undefined && isModifiedSince(unmodifiedSince, object)) {
    return 'failed'
  }

  const noneMatch = read('if-none-match')
  const modifiedSince = read('if-modified-since')
  if (noneMatch !== undefined) return names(noneMatch, object) ? 'not-modified' : 'met'
  if (modifiedSince === undefined) return 'met'
  return isModifiedSince(modifiedSince, object) ? 'met' : 'not-modified'
}

/** Creates the error for a request with a failed condition. */
export function preconditionFailed(): S3Error {
  return new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
}

/** Returns whether the list contains the ETag or `*`. S3 accepts ETags with or without quotes. */
function names(etagList: string, object: StoredObject): boolean {
  const etags = etagList.split(',').map((etag) => etag.trim().replaceAll('"', ''))
  return etags.includes('*') || etags.includes(object.etag)
}

/** Compares in whole seconds, because HTTP dates have no fractions. */
function isModifiedSince(httpDate: string, object: StoredObject): boolean {
  const sinceMs = Date.parse(httpDate)
  if (Number.isNaN(sinceMs)) return true
  return Math.floor(Date.parse(object.lastModifiedAtUtc) / 1000) * 1000 > sinceMs
}
