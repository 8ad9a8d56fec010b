import type { Caller } from '@vertical-kit/core-audit/access'
import { targetOf, targetQuery } from '@vertical-kit/core-audit/contract'
import type { Database, Db } from '@vertical-kit/core-audit/database'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import type { BusinessObjects } from '@vertical-kit/core-audit/objects'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import { WatchState } from '../contract.ts'
import { isWatching, unwatchObject, watchObject } from './own-watch.ts'

export interface WatchRoutesOptions {
  readonly database: Database
  readonly businessObjects: BusinessObjects
}

const path = '/api/business-objects/watch'

/** The parts that the three routes share. */
const ofObject = {
  tag: 'Business objects',
  query: v.object(targetQuery),
  errors: ['business_object.unsupported', 'business_object.not_found'],
} as const

/** Creates the routes with which callers follow objects. They need no permission, except to read the object. */
export function watchRoutes({ database, businessObjects }: WatchRoutesOptions): Hono<KitEnv> {
  /** Checks the object before the call of `actor`, which can create a user record for the caller. */
  const requireActor = async (c: Context<KitEnv>, query: Parameters<typeof targetOf>[0]) => {
    const target = targetOf(query)
    await database.read((db: Db) => businessObjects.requireReadable(db, c.get('caller') as Caller, target))
    const { userId } = await c.get('actor')()
    return { userId, target }
  }
  return new Hono<KitEnv>()
    .get(
      path,
      api({
        ...ofObject,
        operationId: 'getWatch',
        summary: 'Returns whether the caller follows a business object.',
        responses: { 200: { description: 'The state', schema: WatchState } },
      }),
      async (c) => {
        const target = targetOf(c.req.valid('query'))
        const { userId, ...caller } = c.get('caller')
        const state = await database.read(async (db) => {
          await businessObjects.requireReadable(db, { userId, ...caller }, target)
          return userId !== null && (await isWatching(db, { userId, target }))
        })
        return c.json({ isWatching: state } satisfies WatchState)
      },
    )
    .put(
      path,
      api({
        ...ofObject,
        operationId: 'watchObject',
        summary: 'Follows a business object: the caller is notified of the work of others on it. Idempotent.',
        description:
          'What one person does within five minutes is one notification. While the caller may not read the object, nothing is ' +
          'sent, and what happened in that time is not sent later.',
        responses: { 204: { description: 'The caller follows the object.' } },
      }),
      async (c) => {
        const watch = await requireActor(c, c.req.valid('query'))
        await database.statement((tx) => watchObject(tx, watch))
        return c.body(null, 204)
      },
    )
    .delete(
      path,
      api({
        ...ofObject,
        operationId: 'unwatchObject',
        summary: 'No longer follows a business object. Idempotent.',
        responses: { 204: { description: 'The caller does not follow the object.' } },
      }),
      async (c) => {
        const watch = await requireActor(c, c.req.valid('query'))
        await database.statement((tx) => unwatchObject(tx, watch))
        return c.body(null, 204)
      },
    )
}
