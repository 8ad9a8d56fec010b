import { coreMigrations } from '@vertical-kit/core-audit/database'
import { migrationTemplate, schemaDrift } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { notesMigrations } from '@vertical-kit/notes'
import * as schema from '@vertical-kit/notes/schema'
import { expect, inject, onTestFinished, test } from 'vitest'

test('the Drizzle tables and views match the migrated database', async () => {
  const template = await migrationTemplate('notes', [coreMigrations, notesMigrations])
  const database = await freshDatabase(inject('postgresUrl'), { template })
  onTestFinished(() => database.drop())
  expect(await schemaDrift(database.url, schema)).toEqual([])
})
