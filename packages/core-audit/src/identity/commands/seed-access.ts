import { recordAudit } from '../../audit/commands/record-audit.ts'
import { fieldChanges } from '../../audit/field-changes.ts'
import type { Tx } from '../../database/database.ts'
import type { RowOf } from '../../database/row-of.ts'
import { sql } from '../../database/sql.ts'
import { appendToOutbox } from '../../outbox/commands/append-to-outbox.ts'
import { accessChangeOf } from '../access-changed.ts'
import { roleEvent, userEvent } from '../audit.ts'
import { type AccessRules, isAdministratorRole, normalizePermissions } from '../policy.ts'
import { type AssignedRole, lockUser } from '../queries/lock-user.ts'
import type { roles, users } from '../schema.ts'
import { seedProblems } from '../seed-problems.ts'
import { markIfChangedByPerson, roleRows, userRows } from './mark-if-changed-by-person.ts'

/** A role that the host requires. An administrator role has every permission by its code; its `permissions` are ignored. */
export interface SeedRole {
  /** Identifies the role in later seeds, even if a person has changed its code since. */
  readonly code: string
  readonly name: string
  readonly description?: string
  readonly permissions?: readonly string[]
}

/** A user that the host requires. The user has at least these roles. */
export interface SeedUser {
  /** The subject in the identity provider's tokens. */
  readonly subject: string
  /** The name of the user until a token contains another name. */
  readonly displayName: string
  readonly email?: string
  /** Applies when the record is created; true when absent. */
  readonly isActive?: boolean
  /** Codes of roles of the seed, or of other roles. A role keeps the code of its seed when a person changes its code. */
  readonly roleCodes: readonly string[]
}

/** The roles and users that a host starts with. */
export interface AccessSeed {
  readonly roles?: readonly SeedRole[]
  readonly users?: readonly SeedUser[]
}

/**
 * Creates the roles and users that a host starts with. Run it at every start, before serving. It creates missing records.
 * In records that no person has changed, it updates the name, description and permissions of roles, and adds roles to
 * users. It never changes other records, so a start never restores access that a person removed. A role that a person has
 * renamed stays the role of its seed. Hosts that start concurrently wait for each other.
 *
 * @throws {TypeError} naming every malformed or repeated role and user and every permission that is not registered, or every
 *   role of a user that does not exist
 */
export async function seedAccess(tx: Tx, rules: AccessRules, seed: AccessSeed): Promise<void> {
  const { roles = [], users = [] } = seed
  refuse(seedProblems(rules, seed))
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('vertical-kit.seed-access', 0))`)
  await lockUsers(
    tx,
    users.map(({ subject }) => subject),
  )
  await keepSeedCodes(tx, [...roles.map(({ code }) => code), ...users.flatMap(({ roleCodes }) => roleCodes)])
  for (const role of roles) await seedRole(tx, rules, role)
  const seeded = await readRoles(tx)
  refuse(users.flatMap((user) => unknownRoles(seeded, user)))
  for (const user of users) await seedUser(tx, seeded, user)
}

/**
 * Locks the existing users of a seed before its roles. A change of a user's roles locks the user, and then each new role by a
 * foreign key: with roles locked first, both could wait for each other.
 */
async function lockUsers(tx: Tx, subjects: readonly string[]): Promise<void> {
  await tx.execute(sql`
    select from core_audit.users
    where subject = any(${sql.param(subjects)}::text[])
    order by id
    for no key update`)
}

/** The roles by the codes that a seed uses for them. */
type SeededRoles = ReadonlyMap<string, AssignedRole>

/** Stores the code of each role that a seed names for the first time: the seed finds the role by it after a renaming. */
async function keepSeedCodes(tx: Tx, codes: readonly string[]): Promise<void> {
  await tx.execute(sql`
    update core_audit.roles r
    set seed_code = r.code
    where r.code = any(${sql.param(codes)}::text[])
      and r.seed_code is null
      and not exists (select from core_audit.roles other where other.seed_code = r.code)`)
}

async function readRoles(tx: Tx): Promise<SeededRoles> {
  const rows = await tx.execute<RowOf<typeof roles, 'id' | 'code' | 'seedCode'>>(sql`
    select id, code, seed_code
    from core_audit.roles`)
  const byCode = rows.map((row) => [row.code, row] as const)
  const bySeedCode = rows.flatMap((row) => (row.seed_code === null ? [] : [[row.seed_code, row] as const]))
  return new Map([...byCode, ...bySeedCode])
}

function unknownRoles(seeded: SeededRoles, { subject, roleCodes }: SeedUser): readonly string[] {
  return roleCodes
    .filter((code) => !seeded.has(code))
    .map((code) => `user ${subject}: the role ${code} does not exist`)
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new TypeError(`The access seed does not fit:\n${problems.join('\n')}`)
}

async function seedRole(tx: Tx, rules: AccessRules, seed: SeedRole): Promise<void> {
  const { code, name, description = '' } = seed
  const permissions = isAdministratorRole(rules, code) ? [] : normalizePermissions(seed.permissions ?? [])
  const [made] = await tx.execute<Pick<AssignedRole, 'id'>>(sql`
    insert into core_audit.roles (id, code, seed_code, name, description, permissions)
    values (${tx.newId()}::uuid, ${code}, ${code}, ${name}, ${description}, ${sql.param(permissions)}::text[])
    on conflict do nothing
    returning id`)
  if (made === undefined) return updateSeededRole(tx, { code, name, description, permissions })
  const changes = fieldChanges(null, { code, name, description, permissions })
  await recordAudit(tx, roleEvent({ id: made.id, actionCode: 'roles.created', actor: null, changes }))
}

type SeededRole = RowOf<typeof roles, 'id' | 'name' | 'description' | 'permissions' | 'isChangedByPerson'>

async function updateSeededRole(tx: Tx, seed: Required<SeedRole>): Promise<void> {
  const { code, name, description, permissions } = seed
  const [role] = await tx.execute<SeededRole>(sql`
    select id, name, description, permissions, is_changed_by_person
    from core_audit.roles
    where seed_code = ${code}
    for no key update`)
  if (role === undefined) return
  const words = fieldChanges({ name: role.name, description: role.description }, { name, description })
  const grants = fieldChanges({ permissions: normalizePermissions(role.permissions) }, { permissions })
  if (words.length + grants.length === 0) return
  if (role.is_changed_by_person || (await markIfChangedByPerson(tx, roleRows, role.id))) return
  await tx.execute(sql`
    update core_audit.roles
    set name = ${name},
      description = ${description},
      permissions = ${sql.param(permissions)}::text[],
      updated_at = clock_timestamp()
    where id = ${role.id}::uuid`)
  const event = { id: role.id, actor: null }
  const events = [
    roleEvent({ ...event, actionCode: 'roles.updated', changes: words }),
    roleEvent({ ...event, actionCode: 'roles.permissions_changed', changes: grants }),
  ]
  await recordAudit(tx, ...events.filter(({ changes = [] }) => changes.length > 0))
  if (grants.length > 0) await appendToOutbox(tx, accessChangeOf({ roleId: role.id }, null))
}

async function seedUser(tx: Tx, seeded: SeededRoles, seed: SeedUser): Promise<void> {
  await tx.execute(sql`
    insert into core_audit.users (id, subject, email, display_name, is_active)
    values (${tx.newId()}::uuid, ${seed.subject}, ${seed.email ?? null}, ${seed.displayName}, ${seed.isActive ?? true})
    on conflict (subject) do nothing`)
  const [found] = await tx.execute<RowOf<typeof users, 'id'>>(sql`
    select id
    from core_audit.users
    where subject = ${seed.subject}`)
  if (found === undefined) throw new Error('The insert of a seeded user left no row')
  const user = await lockUser(tx, found.id)
  const held = new Map(user.roles.map((role) => [role.id, role.code]))
  const wanted = seed.roleCodes.flatMap((code) => seeded.get(code) ?? [])
  const missing = new Map(wanted.filter(({ id }) => !held.has(id)).map(({ id, code }) => [id, code]))
  if (missing.size === 0) return
  if (user.isChangedByPerson || (await markIfChangedByPerson(tx, userRows, user.id))) return
  await tx.execute(sql`
    insert into core_audit.user_roles (user_id, role_id)
    select ${user.id}::uuid, unnest(${sql.param([...missing.keys()])}::uuid[])`)
  const codes = [...held.values()]
  const changes = fieldChanges({ roles: codes }, { roles: [...codes, ...missing.values()].sort() })
  await recordAudit(tx, userEvent({ id: user.id, actionCode: 'users.roles_changed', actor: null, changes }))
  await appendToOutbox(tx, accessChangeOf({ userId: user.id }, null))
}
