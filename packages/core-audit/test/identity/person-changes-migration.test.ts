import { coreMigrations, migrate } from '@vertical-kit/core-audit/database'
import { expect, test } from 'vitest'
import { earlierPack, emptyDatabase } from '../database/migration-packs.ts'
import { openConnection } from '../harness.ts'

const person = '019a0000-0000-7000-8000-000000000000'

test('the migration marks the roles and users that a person has created or changed', async () => {
  const databaseUrl = await emptyDatabase()
  await migrate({ databaseUrl, packs: [await earlierPack(coreMigrations, '0018')] })
  const sql = openConnection(databaseUrl)
  const names = ['untouched', 'seeded', 'changed', 'substituted']
  await sql`insert into core_audit.roles (id, code, name) select gen_random_uuid(), n, n from unnest(${names}::text[]) n`
  await sql`
    insert into core_audit.users (id, subject, display_name)
    select gen_random_uuid(), n, n from unnest(${names}::text[]) n`
  await sql`
    insert into core_audit.audit_events (module, target_kind, target_type_code, target_id, action_code, actor_user_id)
    select 'core-audit', t.kind, t.type_code, t.id, e.action_code, e.actor::uuid
    from (
      select 'Role', 'system.role', id, code from core_audit.roles
      union all
      select 'User', 'system.user', id, subject from core_audit.users
    ) t (kind, type_code, id, name)
    join (
      values
        ('seeded', 'roles.created', null),
        ('changed', 'roles.updated', ${person}),
        ('changed', 'users.roles_changed', ${person}),
        ('substituted', 'users.substitution_set', ${person})
    ) e (name, action_code, actor) on e.name = t.name
    where t.kind = 'User' or e.name <> 'substituted'`

  await migrate({ databaseUrl, packs: [coreMigrations] })
  expect(await sql`select code from core_audit.roles where is_changed_by_person`).toEqual([
    { code: 'changed' },
  ])
  expect(await sql`select subject from core_audit.users where is_changed_by_person`).toEqual([
    { subject: 'changed' },
  ])
})
