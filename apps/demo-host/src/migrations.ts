import { attachmentsMigrations } from '@vertical-kit/attachments'
import { coreMigrations, type MigrationPack } from '@vertical-kit/core-audit/database'
import { documentActionsMigrations } from '@vertical-kit/document-actions'
import { notesMigrations } from '@vertical-kit/notes'
import { workCenterMigrations } from '@vertical-kit/work-center'
import { tradeMigrations } from './trade/module.ts'

/** Every package's migrations in the order they are applied, whatever the features say. */
export const hostMigrations: readonly MigrationPack[] = [
  coreMigrations,
  attachmentsMigrations,
  notesMigrations,
  documentActionsMigrations,
  workCenterMigrations,
  tradeMigrations,
]
