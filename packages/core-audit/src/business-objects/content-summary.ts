import { type SQL, sql } from 'drizzle-orm/sql'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Database } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import { api } from '../http/api.ts'
import type { KitEnv } from '../http/environment.ts'
import { type Caller, holds } from '../identity/caller.ts'
import { type KitModule, releaseTrain } from '../module.ts'
import { type BusinessObjectReference, ContentSummary, targetOf, targetQuery } from './contract.ts'
import type { BusinessObjects } from './reference.ts'

/** What a content package contributes to the summary of a parent. */
export interface ContentCounter {
  readonly content: keyof ContentSummary
  /** Frozen at startup, like every feature's state. */
  readonly isEnabled: boolean
  readonly readPermission: string
  /** A scalar subquery that counts what a list of this content would show. */
  count(reference: BusinessObjectReference): SQL
}

export interface ContentSummaryOptions {
  readonly database: Database
  readonly businessObjects: BusinessObjects
  readonly counters: readonly ContentCounter[]
}

/**
 * `GET /api/business-objects/content-summary`: all counts of one parent in one statement.
 * With every counter's feature off, the endpoint answers `feature.disabled`.
 *
 * @throws {TypeError} when one content has two counters
 */
export function createContentSummary(options: ContentSummaryOptions): KitModule {
  const contents = new Set(options.counters.map((counter) => counter.content))
  if (contents.size < options.counters.length) throw new TypeError('counters: one content has two of them')
  const enabled = options.counters.filter((counter) => counter.isEnabled)
  const router = new Hono<KitEnv>().get(
    '/api/business-objects/content-summary',
    api({
      operationId: 'getContentSummary',
      tag: 'Business objects',
      summary: 'Counts of attachments and notes of one business object.',
      description: 'A count is null when its feature is disabled or the caller may not read that content.',
      guards: [() => requireAny(enabled)],
      query: v.object(targetQuery),
      responses: { 200: { description: 'The counts', schema: ContentSummary } },
      errors: ['feature.disabled', 'business_object.unsupported', 'business_object.not_found'],
    }),
    async (c) => {
      const reference = targetOf(c.req.valid('query'))
      const caller = c.get('caller')
      const summary = await options.database.read(async (db) => {
        await options.businessObjects.requireReadable(db, caller, reference)
        const [row] = await db.execute<ContentSummary>(summaryStatement(enabled, caller, reference))
        return row
      })
      return c.json(summary)
    },
  )
  return { name: '@vertical-kit/core-audit/content-summary', version: releaseTrain, router, permissions: [] }
}

function requireAny(enabled: readonly ContentCounter[]): void {
  if (enabled.length === 0) throw new CoreError('feature.disabled')
}

function summaryStatement(
  enabled: readonly ContentCounter[],
  caller: Caller,
  reference: BusinessObjectReference,
): SQL {
  const countOf = (content: keyof ContentSummary): SQL => {
    const counter = enabled.find((candidate) => candidate.content === content)
    return counter !== undefined && holds(caller, counter.readPermission)
      ? counter.count(reference)
      : sql`null`
  }
  return sql`select (${countOf('attachments')})::int as attachments, (${countOf('notes')})::int as notes`
}
