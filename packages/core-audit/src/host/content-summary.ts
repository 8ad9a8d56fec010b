import { Hono } from 'hono'
import * as v from 'valibot'
import { type Caller, holds } from '../access/caller.ts'
import type { Database } from '../database/database.ts'
import { type SQL, sql } from '../database/sql.ts'
import { CoreError } from '../errors.ts'
import { api } from '../http/api.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { KitModule } from '../module.ts'
import type { BusinessObjects } from '../objects/business-objects.ts'
import type { ContentCounter, CountedTarget } from '../objects/content-counter.ts'
import {
  type BusinessObjectReference,
  ContentSummaries,
  ContentSummariesBody,
  ContentSummary,
  targetOf,
  targetQuery,
} from '../objects/contract.ts'
import { readIfAllowed } from '../objects/read-if-allowed.ts'
import { version } from '../version.ts'

/**
 * The input of {@link contentSummary}. `checkModules` refuses a host in which a module with a `counter` is missing
 * here.
 */
export interface ContentSummaryOptions {
  readonly database: Database
  readonly businessObjects: BusinessObjects
  /** Every module of the host. Modules with a `counter` contribute a count. */
  readonly modules: readonly KitModule[]
}

/**
 * Creates the module of `GET /api/business-objects/content-summary` and of `POST …/content-summaries`, which read all counts of
 * one or of up to 100 business objects in one statement. The endpoints return `feature.disabled` when the features of all
 * counters are off.
 *
 * @throws {TypeError} when two modules count the same content
 */
export function contentSummary(options: ContentSummaryOptions): KitModule {
  const counters = options.modules.flatMap(({ counter }) => counter ?? [])
  const contents = new Set(counters.map((counter) => counter.content))
  if (contents.size < counters.length) throw new TypeError('modules: two modules count the same content')
  const enabled = counters.filter((counter) => counter.isEnabled)
  const router = new Hono<KitEnv>()
  router.get(
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
        const statement = sql`select ${countsOf(enabled, caller, reference)}`
        const check = options.businessObjects.requireReadable(db, caller, reference)
        const [row] = await readIfAllowed(check, db.execute<ContentSummary>(statement))
        return row
      }, caller.since)
      return c.json(summary)
    },
  )
  router.post(
    '/api/business-objects/content-summaries',
    api({
      operationId: 'getContentSummaries',
      tag: 'Business objects',
      summary: 'Counts of attachments and notes of up to 100 business objects.',
      description:
        'The items have the order of the request. Objects that are hidden, missing or unsupported are not available.',
      guards: [() => requireAny(enabled)],
      body: ContentSummariesBody,
      responses: { 200: { description: 'The counts', schema: ContentSummaries } },
      errors: ['feature.disabled'],
    }),
    async (c) => {
      const { targets } = c.req.valid('json')
      const caller = c.get('caller')
      const [states, counts] = await options.database.read(
        (db) =>
          Promise.all([
            options.businessObjects.findAll(db, caller, targets),
            db.execute<ContentSummary>(summariesStatement(enabled, caller, targets)),
          ]),
        caller.since,
      )
      const items = targets.map((target, index): ContentSummaries['items'][number] => {
        const count = counts[index]
        if (count === undefined || states(target).is !== 'readable') return { target, isAvailable: false }
        return { target, attachments: count.attachments, notes: count.notes }
      })
      return c.json({ items })
    },
  )
  return {
    name: '@vertical-kit/core-audit/content-summary',
    version,
    router,
    gathers: { contribution: 'counter', modules: options.modules },
  }
}

function requireAny(enabled: readonly ContentCounter[]): void {
  if (enabled.length === 0) throw new CoreError('feature.disabled')
}

/** Returns one row for each target, in their order. */
function summariesStatement(
  enabled: readonly ContentCounter[],
  caller: Caller,
  targets: readonly BusinessObjectReference[],
): SQL {
  const column = (name: keyof BusinessObjectReference) => sql.param(targets.map((target) => target[name]))
  const target = { kind: sql`t.kind`, typeCode: sql`t.type_code`, id: sql`t.id` }
  return sql`
    select ${countsOf(enabled, caller, target)}
    from unnest(${column('kind')}::text[], ${column('typeCode')}::text[], ${column('id')}::uuid[])
      with ordinality as t (kind, type_code, id, place)
    order by t.place`
}

function countsOf(enabled: readonly ContentCounter[], caller: Caller, target: CountedTarget): SQL {
  const countOf = (content: keyof ContentSummary): SQL => {
    const counter = enabled.find((candidate) => candidate.content === content)
    return counter !== undefined && holds(caller, counter.readPermission) ? counter.count(target) : sql`null`
  }
  return sql`(${countOf('attachments')})::int as attachments, (${countOf('notes')})::int as notes`
}
