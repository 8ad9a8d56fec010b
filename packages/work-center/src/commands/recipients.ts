import { type SQL, sql } from '@vertical-kit/core-audit'
import { type ItemDefinition, isForAllRoles } from '../definitions/definition.ts'

/** The addressed users of an item: members of roles, or single users. Recipients also need a role of the definition. */
export type Audience = { readonly roleCodes: readonly string[] } | { readonly userIds: readonly string[] }

/** The distinct audiences of several items. Recipients are selected once per distinct audience, not once per item. */
export interface Audiences {
  readonly different: readonly Audience[]
  /** For each item, the zero-based index of its audience in `different`. */
  readonly places: readonly number[]
}

export function toAudiences(audiences: readonly Audience[]): Audiences {
  const places = new Map<string, number>()
  const different: Audience[] = []
  const placeOf = (audience: Audience): number => {
    const key = JSON.stringify(audience)
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, different.length)
    return different.push(audience) - 1
  }
  return { places: audiences.map(placeOf), different }
}

/**
 * Selects the recipients of all audiences: users with a role of the definition that have the definition switched on. The
 * columns are `audience` (the index of the audience), `user_id` and `role_id`. A user has one row per matching role. In
 * audiences of user ids, `role_id` is null.
 */
export function selectRecipients(definition: ItemDefinition, audiences: readonly Audience[]): SQL {
  const roles = audiences.flatMap((audience, place) =>
    'roleCodes' in audience ? audience.roleCodes.map((code) => [place, code] as const) : [],
  )
  const users = audiences.flatMap((audience, place) =>
    'userIds' in audience ? audience.userIds.map((id) => [place, id] as const) : [],
  )
  const parts = [
    ...(roles.length > 0 ? [recipientsOf(definition, ofRoles(roles))] : []),
    ...(users.length > 0 ? [recipientsOf(definition, ofUsers(users))] : []),
  ]
  return parts.length === 0 ? noRecipients : sql.join(parts, sql` union all `)
}

type Named = readonly (readonly [place: number, name: string])[]

const noRecipients = sql`select 0 as audience, null::uuid as user_id, null::uuid as role_id where false`

const ofRoles = (roles: Named) => ({
  roleId: sql`m.role_id`,
  members: sql`
      unnest(${placesOf(roles)}::int[], ${namesOf(roles)}::text[]) a (place, role_code)
      join core_audit.active_role_members m on m.role_code = a.role_code`,
})

const ofUsers = (users: Named) => ({
  roleId: sql`null::uuid`,
  members: sql`
      unnest(${placesOf(users)}::int[], ${namesOf(users)}::uuid[]) a (place, user_id)
      join core_audit.active_role_members m on m.user_id = a.user_id`,
})

const placesOf = (named: Named) => sql.param(named.map(([place]) => place))
const namesOf = (named: Named) => sql.param(named.map(([, name]) => name))

function recipientsOf(
  definition: ItemDefinition,
  { roleId, members }: { readonly roleId: SQL; readonly members: SQL },
): SQL {
  const { code, roleCodes, defaultEnabled, userCanDisable } = definition
  const hasRole = isForAllRoles(definition)
    ? sql`true`
    : sql`m.role_code = any(${sql.param(roleCodes)}::text[])`
  // Ignore stored choices for a mandatory definition: users may have switched it off before it became mandatory.
  const isEnabled =
    userCanDisable || !defaultEnabled ? sql`coalesce(p.is_enabled, ${defaultEnabled}::boolean)` : sql`true`
  return sql`
      select distinct a.place as audience, m.user_id, ${roleId} as role_id
      from ${members}
      left join work_center.preferences p
        on p.user_id = m.user_id and p.code = ${code} and p.channel = 'InApp'
      where ${hasRole} and ${isEnabled}`
}
