import { type Context, Hono } from 'hono'
import type { Actor } from '../access/actor.ts'
import type { Database } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import { api } from '../http/api.ts'
import { isUuid } from '../http/contract.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { administratorOf } from './administrator.ts'
import { createUser } from './commands/create-user.ts'
import { setUserActivity } from './commands/set-user-activity.ts'
import { setUserRoles } from './commands/set-user-roles.ts'
import { CreateUserBody, ListUsersQuery, SetUserRolesBody, User, UserPage } from './contract.ts'
import type { AccessRules } from './policy.ts'
import { findUser } from './queries/find-user.ts'
import { listUsers } from './queries/list-users.ts'
import type { ChangeAccess } from './routes.ts'

export interface UserRoutesOptions {
  readonly database: Database
  readonly rules: AccessRules
  readonly changeAccess: ChangeAccess
}

const tag = 'Security'
const view = 'system.users.view'
const manage = 'system.users.manage'
const by = (c: Context<KitEnv>, actor: Actor) => administratorOf(c, actor, manage)
const responses = { 200: { description: 'The user', schema: User } }

/** Creates the routes of `/api/security/users`. */
export function userRoutes({ database, rules, changeAccess }: UserRoutesOptions): Hono<KitEnv> {
  const setActivity = async (
    c: Context<KitEnv>,
    change: { readonly isActive: boolean },
  ): Promise<Response> => {
    const id = userId(c)
    return c.json(
      await changeAccess(c.var, (tx, actor) =>
        setUserActivity(tx, rules, { id, ...change, by: by(c, actor) }),
      ),
    )
  }

  return new Hono<KitEnv>()
    .get(
      '/api/security/users',
      api({
        operationId: 'listUsers',
        tag,
        summary: 'Lists users, newest first.',
        permission: view,
        query: ListUsersQuery,
        responses: { 200: { description: 'One page', schema: UserPage } },
      }),
      async (c) => {
        const { limit, cursor = null, isActive = null, q = null } = c.req.valid('query')
        return c.json(
          await database.read((db) => listUsers(db, { limit, cursor, isActive, q }), c.get('caller').since),
        )
      },
    )
    .get(
      '/api/security/users/:id',
      api({
        operationId: 'getUser',
        tag,
        summary: 'Returns one user.',
        permission: view,
        responses,
        errors: ['users.not_found'],
      }),
      async (c) => {
        const id = userId(c)
        return c.json(await database.read((db) => findUser(db, id)))
      },
    )
    .post(
      '/api/security/users',
      api({
        operationId: 'createUser',
        tag,
        summary: 'Invites a person: creates the user before their first request.',
        description:
          'The subject must match the tokens of the identity provider. Only administrators can assign an ' +
          'administrator role.',
        permission: manage,
        body: CreateUserBody,
        responses: { 201: { description: 'The user', schema: User } },
        errors: ['users.subject_taken'],
      }),
      async (c) => {
        const body = c.req.valid('json')
        return c.json(
          await changeAccess(c.var, (tx, actor) => createUser(tx, rules, { ...body, by: by(c, actor) })),
          201,
        )
      },
    )
    .put(
      '/api/security/users/:id/roles',
      api({
        operationId: 'setUserRoles',
        tag,
        summary: 'Replaces the roles of a user.',
        description:
          'The change applies from their next request. Only administrators can assign or remove an administrator role. ' +
          'With expectedRoleIds, a user whose roles have changed in the meantime keeps them.',
        permission: manage,
        body: SetUserRolesBody,
        responses,
        errors: ['users.not_found', 'users.version_conflict'],
      }),
      async (c) => {
        const input = { ...c.req.valid('json'), id: userId(c) }
        return c.json(
          await changeAccess(c.var, (tx, actor) => setUserRoles(tx, rules, { ...input, by: by(c, actor) })),
        )
      },
    )
    .post(
      '/api/security/users/:id/deactivate',
      api({
        operationId: 'deactivateUser',
        tag,
        summary: 'Locks a user out from their next request on. A repeated call changes nothing.',
        description: 'Only administrators can do this for a user with an administrator role.',
        permission: manage,
        responses,
        errors: ['users.not_found'],
      }),
      (c) => setActivity(c, { isActive: false }),
    )
    .post(
      '/api/security/users/:id/reactivate',
      api({
        operationId: 'reactivateUser',
        tag,
        summary: 'Lets a user in again. A repeated call changes nothing.',
        description: 'Only administrators can do this for a user with an administrator role.',
        permission: manage,
        responses,
        errors: ['users.not_found'],
      }),
      (c) => setActivity(c, { isActive: true }),
    )
}

/** Returns the id in the path. Rejects malformed ids like unknown ids. */
function userId(c: Context<KitEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new CoreError('users.not_found')
  return id.toLowerCase()
}
