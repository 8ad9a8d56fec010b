import { coreMigrations } from '@vertical-kit/core-audit/database'
import { migrationTemplate, schemaDrift } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { workCenterMigrations } from '@vertical-kit/work-center'
import * as schema from '@vertical-kit/work-center/schema'
import * as internal from '@vertical-kit/work-center/schema/internal'
import { expect, inject, onTestFinished, test } from 'vitest'

test('the Drizzle tables and views match the migrated database', async () => {
  const template = await migrationTemplate('work_center', [coreMigrations, workCenterMigrations])
  const database = await freshDatabase(inject('postgresUrl'), { template })
  onTestFinished(() => database.drop())
  expect(await schemaDrift(database.url, { ...schema, ...internal })).toEqual([])
})
