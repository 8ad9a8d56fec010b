import type { KitModule } from '@vertical-kit/core-audit'
import { coreMigrations } from '@vertical-kit/core-audit/database'
import { migrationTemplate, openTestHost, type TestHost } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import type { FeatureDefinition } from '@vertical-kit/feature-flags'
import { inject, onTestFinished } from 'vitest'

export const notes: FeatureDefinition = { code: 'Notes', displayName: 'Notes', group: 'Attachments & Notes' }
export const attachments: FeatureDefinition = { ...notes, code: 'Attachments', displayName: 'Attachments' }

/** Opens a test host with these modules and a new database. Closes the host and drops the database after the test. */
export async function openHost(...modules: readonly KitModule[]): Promise<TestHost> {
  const template = await migrationTemplate('feature_flags', [coreMigrations])
  const database = await freshDatabase(inject('postgresUrl'), { template })
  onTestFinished(() => database.drop())
  const host = await openTestHost({ databaseUrl: database.url, modules: () => modules })
  onTestFinished(() => host.close())
  return host
}
