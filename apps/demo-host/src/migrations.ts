import { attachmentsMigrations } from '@vertical-kit/attachments'
import { coreMigrations, type MigrationPack } from '@vertical-kit/core-audit/database'
import { documentActionsMigrations } from '@vertical-kit/document-actions'
import { notesMigrations } from '@vertical-kit/notes'
import { workCenterMigrations } from '@vertical-kit/work-center'
import { tradeMigrations } from './trade/module.ts'

/**
 * The migrations that `pnpm migrate` applies. The command reads only the database configuration, so it cannot call
 * `composeHost` and derive this list from the modules. A test checks that this list matches the modules.
 */
export const hostMigrations: readonly MigrationPack[] = [
  coreMigrations,
  tradeMigrations,
  documentActionsMigrations,
  attachmentsMigrations,
  notesMigrations,
  workCenterMigrations,
]
