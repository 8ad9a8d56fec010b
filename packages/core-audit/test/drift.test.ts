import * as schema from '@vertical-kit/core-audit/schema'
import * as internal from '@vertical-kit/core-audit/schema/internal'
import { schemaDrift } from '@vertical-kit/core-audit/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from './harness.ts'

test('the Drizzle tables and views match the migrated database', async () => {
  const database = await openDatabase()
  onTestFinished(() => database.drop())
  expect(await schemaDrift(database.url, { ...schema, ...internal })).toEqual([])
})
