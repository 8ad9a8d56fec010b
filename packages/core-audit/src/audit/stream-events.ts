import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { Caller } from '../access/caller.ts'
import type { Database, Db } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { streamText } from '../http/stream-text.ts'
import type { AuditEventPage } from './contract.ts'
import { type LineFormat, lineFormats, linesOf } from './event-lines.ts'

/** A page, and the rights on which its content depends. */
export interface ReadPage {
  readonly page: AuditEventPage
  /** The modules and types that the caller may see. A stream breaks off if one is lost. */
  readonly rights: readonly string[]
}

export interface EventPages {
  readonly database: Database
  /** The file name of a stream, without its extension. */
  readonly fileName: string
  /** The first page of a stream starts here, and its pages have their own size. */
  readonly paging: { readonly limit: number; readonly cursor: string | null }
  /**
   * Reads a page with all checks of the caller's rights. The caller is loaded again for each page of a stream.
   * @throws {CoreError} if the caller may not read the page
   */
  readPage(
    db: Db,
    caller: Caller,
    paging: { readonly limit: number; readonly cursor: string | null },
  ): Promise<ReadPage>
}

/** Large enough that round trips do not matter, small enough for memory. */
const streamPageSize = 100

/** A page of long texts is sent in parts. */
const chunkChars = 65_536

/**
 * Answers with one page as JSON, or with all pages as CSV or NDJSON, as the request's `Accept` header asks.
 *
 * A stream ends at the newest event of its start. It reads a page after the client has taken the one before, and holds no
 * connection in between. If the caller is deactivated, loses a right, or the credentials expire, it breaks off.
 */
export async function answerEvents(c: Context<KitEnv>, pages: EventPages): Promise<Response> {
  const { database, paging, fileName, readPage } = pages
  c.header('Vary', 'Accept', { append: true })
  const format = formatOf(c)
  if (format === undefined) {
    const caller = c.get('caller')
    const { page } = await database.read((db) => readPage(db, caller, paging), caller.since)
    return c.json(page)
  }
  const headers = {
    'Content-Type': format.contentType,
    'Content-Disposition': `attachment; filename="${fileName}.${format.extension}"`,
  }
  return streamText(c, headers, textOf(c, pages, format))
}

function formatOf(c: Context): LineFormat | undefined {
  const supports = ['application/json', ...lineFormats.keys()]
  return lineFormats.get(accepts(c, { header: 'Accept', supports, default: 'application/json' }))
}

async function* textOf(c: Context<KitEnv>, pages: EventPages, format: LineFormat): AsyncGenerator<string> {
  const { database, paging, readPage } = pages
  let rights: readonly string[] | undefined
  let text = format.head
  let cursor = paging.cursor
  do {
    const position = { limit: streamPageSize, cursor }
    const read = await database.read(async (db) => {
      requireValidCredentials(c, database)
      return readPage(db, await c.get('callerNow')(db), position)
    })
    const now = new Set(read.rights)
    const lost = rights?.find((right) => !now.has(right))
    if (lost !== undefined) throw new CoreError('permission.denied', { context: { permission: lost } })
    rights ??= read.rights
    for (const line of linesOf(read.page)) {
      text += format.lineOf(line)
      if (text.length < chunkChars) continue
      yield text
      text = ''
    }
    // Also without text: a client who has left ends the stream here, and a search can read many pages without a match.
    yield text
    text = ''
    cursor = read.page.nextCursor
  } while (cursor !== null)
}

function requireValidCredentials(c: Context<KitEnv>, { clock }: Database): void {
  if (clock.now() >= (c.get('credentialsExpireAtMs') ?? Number.POSITIVE_INFINITY))
    throw new CoreError('auth.required')
}
