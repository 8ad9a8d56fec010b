import { coreMigrations } from '@vertical-kit/core-audit/database'
import { migrationTemplate, schemaDrift } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { documentActionsMigrations } from '@vertical-kit/document-actions'
import * as schema from '@vertical-kit/document-actions/schema'
import * as internal from '@vertical-kit/document-actions/schema/internal'
import { expect, inject, onTestFinished, test } from 'vitest'

test('the Drizzle tables and views match the migrated database', async () => {
  const packs = [coreMigrations, documentActionsMigrations]
  const template = await migrationTemplate('document_actions_alone', packs)
  const database = await freshDatabase(inject('postgresUrl'), { template })
  onTestFinished(() => database.drop())
  expect(await schemaDrift(database.url, { ...schema, ...internal })).toEqual([])
})
