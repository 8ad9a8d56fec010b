import { attachmentsMigrations } from '@vertical-kit/attachments'
import { coreMigrations, type MigrationPack } from '@vertical-kit/core-audit/database'
import { documentActionsMigrations } from '@vertical-kit/document-actions'
import { notesMigrations } from '@vertical-kit/notes'
import { workCenterMigrations } from '@vertical-kit/work-center'
import { tradeMigrations } from './trade/module.ts'

/**
 * The migrations of the modules of `composeHost`, for `pnpm migrate`: it knows the database and no other part of the
 * configuration, so it cannot compose a host and ask `migrationsOf`. A test holds both together.
 */
export const hostMigrations: readonly MigrationPack[] = [
  coreMigrations,
  tradeMigrations,
  documentActionsMigrations,
  attachmentsMigrations,
  notesMigrations,
  workCenterMigrations,
]
