import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { CoreError } from '../errors.ts'

/** How many bytes of the digest a cursor carries: enough that a changed cursor is noticed, not a secret. */
const digestBytes = 8

/**
 * Writes an opaque cursor for one list. The digest binds it to its list, so that a cursor changed on its way, or
 * handed to another list, is refused instead of paging from somewhere odd. It grants nothing: every page is authorised.
 */
export function writeCursor(list: string, position: readonly string[]): string {
  const body = Buffer.from(JSON.stringify(position))
  return Buffer.concat([digest(list, body), body]).toString('base64url')
}

/**
 * Reads a cursor of the same list back. Anybody can compute a digest, so the position has to fit `schema` as well:
 * what passes goes into a statement.
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
  const isWhole =
    bytes.toString('base64url') === cursor && digest(list, body).equals(bytes.subarray(0, digestBytes))
  const position = isWhole ? v.safeParse(schema, parsePosition(body)) : undefined
  if (position?.success === true) return position.output
  throw new CoreError('request.invalid', {
    errors: [{ path: 'cursor', message: 'is not a cursor of this list; start again without one' }],
  })
}

function parsePosition(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    // Nothing of ours, and so it fits no position.
    return undefined
  }
}

const digest = (list: string, body: Buffer): Buffer =>
  createHash('sha256').update(list).update('\0').update(body).digest().subarray(0, digestBytes)

/**
 * Splits what a query for `limit + 1` rows returned into the page and whether there is more.
 */
export function takePage<Row>(
  rows: readonly Row[],
  limit: number,
): { items: readonly Row[]; last: Row | null } {
  const items = rows.slice(0, limit)
  return { items, last: rows.length > limit ? (items.at(-1) ?? null) : null }
}
