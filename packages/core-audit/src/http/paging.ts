import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { CoreError } from '../errors.ts'

/** Digest bytes per cursor: enough to detect a changed cursor. The digest is not a secret. */
const digestBytes = 8

/**
 * Writes an opaque cursor for one list. The digest binds it to the list: a changed cursor, or one of another list, is
 * rejected instead of returning a wrong page. A cursor grants no access: every page is authorised.
 */
export function writeCursor(list: string, position: readonly string[]): string {
  const body = Buffer.from(JSON.stringify(position))
  return Buffer.concat([digest(list, body), body]).toString('base64url')
}

/**
 * Reads a cursor of this list. Any client can compute a digest, so the position must also match `schema`: it becomes part
 * of a statement.
 *
 * @throws {CoreError} request.invalid
 */
export function readCursor<Schema extends v.GenericSchema>(
  list: string,
  cursor: string,
  schema: Schema,
): v.InferOutput<Schema> {
  const bytes = Buffer.from(cursor, 'base64url')
  const body = bytes.subarray(digestBytes)
  const isIntact =
    bytes.toString('base64url') === cursor && digest(list, body).equals(bytes.subarray(0, digestBytes))
  const position = isIntact ? v.safeParse(schema, parsePosition(body)) : undefined
  if (position?.success === true) return position.output
  throw new CoreError('request.invalid', {
    errors: [{ path: 'cursor', message: 'is not a cursor of this list; start again without one' }],
  })
}

function parsePosition(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    // Not written by us: `undefined` matches no position.
    return undefined
  }
}

const digest = (list: string, body: Buffer): Buffer =>
  createHash('sha256').update(list).update('\0').update(body).digest().subarray(0, digestBytes)

/** Splits the rows of a query for `limit + 1` into the page and, if more rows follow, the last row of the page. */
export function takePage<Row>(
  rows: readonly Row[],
  limit: number,
): { items: readonly Row[]; last: Row | null } {
  const items = rows.slice(0, limit)
  return { items, last: rows.length > limit ? (items.at(-1) ?? null) : null }
}
