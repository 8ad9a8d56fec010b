import { coreMigrations, migrate } from '@vertical-kit/core-audit/database'
import { expect, test } from 'vitest'
import { earlierPack, emptyDatabase } from '../database/migration-packs.ts'
import { openConnection } from '../harness.ts'

test('the migration keeps the present codes of all roles for seeds', async () => {
  const databaseUrl = await emptyDatabase()
  await migrate({ databaseUrl, packs: [await earlierPack(coreMigrations, '0021')] })
  const sql = openConnection(databaseUrl)
  await sql`insert into core_audit.roles (id, code, name) values (gen_random_uuid(), 'clerk', 'Clerk')`
  await migrate({ databaseUrl, packs: [coreMigrations] })
  expect(await sql`select code, seed_code from core_audit.roles`).toEqual([
    { code: 'clerk', seed_code: 'clerk' },
  ])
})
