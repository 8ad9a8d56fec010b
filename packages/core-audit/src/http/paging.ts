import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { CoreError } from '../errors.ts'

/** Number of digest bytes in a cursor. They are sufficient to detect a changed cursor. The digest is not a secret. */
const digestBytes = 8

/**
 * Returns an opaque cursor for one list. Its digest binds the cursor to the list. Therefore a changed cursor and a cursor
 * of another list are rejected. A cursor grants no access, because every request for a page is authorised.
 */
export function writeCursor(list: string, position: readonly string[]): string {
  const body = Buffer.from(JSON.stringify(position))
  return Buffer.concat([digest(list, body), body]).toString('base64url')
}

/**
 * Returns the position in a cursor of this list. The position becomes part of a statement, and any client can compute a
 * digest. Therefore the position must also match `schema`.
 *
 * @throws {CoreError} request.invalid for any other cursor
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
    // `writeCursor` did not write this cursor. No schema of a position accepts `undefined`.
    return undefined
  }
}

const digest = (list: string, body: Buffer): Buffer =>
  createHash('sha256').update(list).update('\0').update(body).digest().subarray(0, digestBytes)

/** Returns the page from the rows of a query with `limit + 1`. `last` is its last row, or `null` if no page follows. */
export function takePage<Row>(
  rows: readonly Row[],
  limit: number,
): { items: readonly Row[]; last: Row | null } {
  const items = rows.slice(0, limit)
  return { items, last: rows.length > limit ? (items.at(-1) ?? null) : null }
}
