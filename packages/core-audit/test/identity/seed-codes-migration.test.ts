import { coreMigrations, migrate } from '@vertical-kit/core-audit/database'
import { expect, test } from 'vitest'
import { earlierPack, emptyDatabase } from '../database/migration-packs.ts'
import { openConnection } from '../harness.ts'

test('the migration keeps the present codes of the roles that a seed has created', async () => {
  const databaseUrl = await emptyDatabase()
  await migrate({ databaseUrl, packs: [await earlierPack(coreMigrations, '0021')] })
  const sql = openConnection(databaseUrl)
  await sql`
    insert into core_audit.roles (id, code, name, is_changed_by_person)
    values (gen_random_uuid(), 'clerk', 'Clerk', false), (gen_random_uuid(), 'auditor', 'Auditor', true)`
  await migrate({ databaseUrl, packs: [coreMigrations] })
  expect(await sql`select code, seed_code from core_audit.roles order by code`).toEqual([
    { code: 'auditor', seed_code: null },
    { code: 'clerk', seed_code: 'clerk' },
  ])
})
