import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import type { Actor } from '../access/actor.ts'
import { changeAs } from '../access/change-as.ts'
import type { Database } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import { api } from '../http/api.ts'
import { isUuid } from '../http/contract.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { administratorOf } from './administrator.ts'
import { createRole } from './commands/create-role.ts'
import { setRoleActivity } from './commands/set-role-activity.ts'
import { setRolePermissions } from './commands/set-role-permissions.ts'
import { updateRole } from './commands/update-role.ts'
import { CreateRoleBody, Role, SetRolePermissionsBody, UpdateRoleBody } from './contract.ts'
import type { AccessRules } from './policy.ts'
import { findRole } from './queries/find-role.ts'
import { listRoles } from './queries/list-roles.ts'
import type { ChangeAccess } from './routes.ts'

export interface RoleRoutesOptions {
  readonly database: Database
  readonly rules: AccessRules
  readonly changeAccess: ChangeAccess
}

const tag = 'Security'
const view = 'system.roles.view'
const manage = 'system.roles.manage'
const by = (c: Context<KitEnv>, actor: Actor) => administratorOf(c, actor, manage)
const responses = { 200: { description: 'The role', schema: Role } }

/** Creates the routes of `/api/security/roles`. */
export function roleRoutes({ database, rules, changeAccess }: RoleRoutesOptions): Hono<KitEnv> {
  const setActivity = async (
    c: Context<KitEnv>,
    change: { readonly isActive: boolean },
  ): Promise<Response> => {
    const id = roleId(c)
    return c.json(
      await changeAccess(c.var, (tx, actor) =>
        setRoleActivity(tx, rules, { id, ...change, by: by(c, actor) }),
      ),
    )
  }

  return new Hono<KitEnv>()
    .get(
      '/api/security/roles',
      api({
        operationId: 'listRoles',
        tag,
        summary: 'Lists every role, by code.',
        permission: view,
        responses: { 200: { description: 'The roles', schema: v.array(Role) } },
      }),
      async (c) => c.json(await database.read((db) => listRoles(db, rules))),
    )
    .get(
      '/api/security/roles/:id',
      api({
        operationId: 'getRole',
        tag,
        summary: 'Returns one role.',
        permission: view,
        responses,
        errors: ['roles.not_found'],
      }),
      async (c) => {
        const id = roleId(c)
        return c.json(await database.read((db) => findRole(db, rules, id)))
      },
    )
    .post(
      '/api/security/roles',
      api({
        operationId: 'createRole',
        tag,
        summary: 'Adds a role.',
        description: 'Only administrators can add a role with the code of an administrator role.',
        permission: manage,
        body: CreateRoleBody,
        responses: { 201: { description: 'The role', schema: Role } },
        errors: ['roles.code_taken', 'roles.protected'],
      }),
      async (c) => {
        const body = c.req.valid('json')
        return c.json(
          await changeAs(database, c.var, (tx, actor) =>
            createRole(tx, rules, { ...body, by: by(c, actor) }),
          ),
          201,
        )
      },
    )
    .put(
      '/api/security/roles/:id',
      api({
        operationId: 'updateRole',
        tag,
        summary: 'Sets a role’s code, name and description.',
        description:
          'An administrator role keeps its code, and no other role can change to such a code. With `expected`, a role that has ' +
          'other texts now stays unchanged, because another administrator has changed it.',
        permission: manage,
        body: UpdateRoleBody,
        responses,
        errors: ['roles.not_found', 'roles.code_taken', 'roles.protected', 'roles.version_conflict'],
      }),
      async (c) => {
        const input = { ...c.req.valid('json'), id: roleId(c) }
        return c.json(
          await changeAs(database, c.var, (tx, actor) =>
            updateRole(tx, rules, { ...input, by: by(c, actor) }),
          ),
        )
      },
    )
    .put(
      '/api/security/roles/:id/permissions',
      api({
        operationId: 'setRolePermissions',
        tag,
        summary: 'Replaces the permissions of a role.',
        description:
          'The change applies from the next request of each user with the role. With expectedPermissions, a role with ' +
          'other permissions stays unchanged, because another administrator has changed it.',
        permission: manage,
        body: SetRolePermissionsBody,
        responses,
        errors: ['roles.not_found', 'roles.protected', 'roles.version_conflict'],
      }),
      async (c) => {
        const input = { ...c.req.valid('json'), id: roleId(c) }
        return c.json(
          await changeAccess(c.var, (tx, actor) =>
            setRolePermissions(tx, rules, { ...input, by: by(c, actor) }),
          ),
        )
      },
    )
    .post(
      '/api/security/roles/:id/deactivate',
      api({
        operationId: 'deactivateRole',
        tag,
        summary: 'Switches a role off: it grants nothing to its users. A repeated call changes nothing.',
        permission: manage,
        responses,
        errors: ['roles.not_found', 'roles.protected'],
      }),
      (c) => setActivity(c, { isActive: false }),
    )
    .post(
      '/api/security/roles/:id/reactivate',
      api({
        operationId: 'reactivateRole',
        tag,
        summary: 'Switches a role on again. A repeated call changes nothing.',
        permission: manage,
        responses,
        errors: ['roles.not_found', 'roles.protected'],
      }),
      (c) => setActivity(c, { isActive: true }),
    )
}

/** Returns the id in the path. Rejects malformed ids like unknown ids. */
function roleId(c: Context<KitEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new CoreError('roles.not_found')
  return id.toLowerCase()
}
