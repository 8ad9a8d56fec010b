import { CoreError } from '@vertical-kit/core-audit'
import { type Actor, changeAs, requirePermission } from '@vertical-kit/core-audit/access'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import {
  type ChangedSubstitution,
  endSubstitution,
  type SubstitutionChange,
  setSubstitution,
} from './commands/set-substitution.ts'
import { ListPeopleQuery, SetSubstitutionBody, Substitutes, Substitution } from './contract.ts'
import type { AnnounceChanges } from './inbox/version-changes.ts'
import { supervise } from './permissions.ts'
import { findSubstitution, findSubstitutionOf, listSubstitutes } from './queries/find-substitution.ts'

export interface SubstitutionRoutesOptions {
  readonly database: Database
  /** Codes of the roles that grant all permissions. */
  readonly administratorRoleCodes: readonly string[]
  readonly announce: AnnounceChanges
}

const tag = 'Work Center'
const found = { 200: { description: 'The substitution, or null', schema: v.nullable(Substitution) } }
const set = { 200: { description: 'The substitution', schema: Substitution } }
const ended = { 204: { description: 'The user has no substitute' } }
const refusals = ['work_center.recipient_not_eligible', 'work_center.substitution_chain']
const ofUser = { tag, permission: supervise } as const

/** Creates the routes with which users name their substitutes, and supervisors name them for other users. */
export function substitutionRoutes(options: SubstitutionRoutesOptions): Hono<KitEnv> {
  const { database, administratorRoleCodes, announce } = options

  const changing = async (
    c: Context<KitEnv>,
    change: (tx: Tx, actor: Actor) => Promise<ChangedSubstitution>,
  ) => {
    const { substitution, versions } = await changeAs(database, c.var, change)
    if (versions.size > 0) announce(versions)
    return substitution
  }
  const own = (c: Context<KitEnv>, actor: Actor): SubstitutionChange => ({
    userId: actor.userId,
    actor,
    authorize: c.get('callerNow'),
  })
  const ofOther = (c: Context<KitEnv>, actor: Actor): SubstitutionChange => ({
    userId: userIdOf(c),
    actor,
    authorize: async (tx) => requirePermission(await c.get('callerNow')(tx), supervise),
  })

  return new Hono<KitEnv>()
    .get(
      '/api/me/substitution',
      api({
        operationId: 'getSubstitution',
        tag,
        summary: 'Returns the caller’s current or future substitution.',
        responses: found,
      }),
      async (c) => {
        const { userId } = c.get('caller')
        return c.json(userId === null ? null : await database.read((db) => findSubstitution(db, userId)))
      },
    )
    .get(
      '/api/me/substitution/users',
      api({
        operationId: 'listSubstitutes',
        tag,
        summary: 'Lists the users that share a role with the caller, to choose a substitute.',
        description:
          'With `q`, lists only users whose name contains this text, in upper or lower case, and the current substitute.',
        query: ListPeopleQuery,
        responses: {
          200: {
            description: 'At most 100 users and the current substitute, sorted by name',
            schema: Substitutes,
          },
        },
      }),
      async (c) => {
        const { userId } = c.get('caller')
        const { q } = c.req.valid('query')
        return c.json(
          userId === null ? { users: [] } : await database.read((db) => listSubstitutes(db, { userId, q })),
        )
      },
    )
    .put(
      '/api/me/substitution',
      api({
        operationId: 'setSubstitution',
        tag,
        summary: 'Names a substitute for a period of at most 180 days. Replaces the earlier one.',
        description:
          'The substitute sees and handles the caller’s tasks, as far as their own permissions to view the sources allow.',
        body: SetSubstitutionBody,
        responses: set,
        errors: refusals,
      }),
      async (c) => {
        const substitution = c.req.valid('json')
        return c.json(
          await changing(c, (tx, actor) =>
            setSubstitution(tx, administratorRoleCodes, { ...own(c, actor), substitution }),
          ),
        )
      },
    )
    .delete(
      '/api/me/substitution',
      api({
        operationId: 'endSubstitution',
        tag,
        summary: 'Ends the substitution. Idempotent.',
        responses: ended,
      }),
      async (c) => {
        if (c.get('caller').userId === null) return c.body(null, 204)
        await changing(c, (tx, actor) => endSubstitution(tx, administratorRoleCodes, own(c, actor)))
        return c.body(null, 204)
      },
    )
    .get(
      '/api/security/users/:id/substitution',
      api({
        ...ofUser,
        operationId: 'getSubstitutionOfUser',
        summary: 'Returns the current or future substitution of a user.',
        responses: found,
        errors: ['users.not_found'],
      }),
      async (c) => {
        const userId = userIdOf(c)
        return c.json(await database.read((db) => findSubstitutionOf(db, userId)))
      },
    )
    .put(
      '/api/security/users/:id/substitution',
      api({
        ...ofUser,
        operationId: 'setSubstitutionOfUser',
        summary: 'Names a substitute for a user, for a period of at most 180 days.',
        body: SetSubstitutionBody,
        responses: set,
        errors: ['users.not_found', ...refusals],
      }),
      async (c) => {
        const substitution = c.req.valid('json')
        return c.json(
          await changing(c, (tx, actor) =>
            setSubstitution(tx, administratorRoleCodes, { ...ofOther(c, actor), substitution }),
          ),
        )
      },
    )
    .delete(
      '/api/security/users/:id/substitution',
      api({
        ...ofUser,
        operationId: 'endSubstitutionOfUser',
        summary: 'Ends the substitution of a user. Idempotent.',
        responses: ended,
        errors: ['users.not_found'],
      }),
      async (c) => {
        await changing(c, (tx, actor) => endSubstitution(tx, administratorRoleCodes, ofOther(c, actor)))
        return c.body(null, 204)
      },
    )
}

/** Returns the id in the path. Rejects malformed ids like unknown ids. */
function userIdOf(c: Context<KitEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new CoreError('users.not_found')
  return id.toLowerCase()
}
