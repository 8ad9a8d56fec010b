import { runMigrateCommand } from '@vertical-kit/core-audit/database'
import { hostMigrations } from './migrations.ts'

process.exitCode = await runMigrateCommand({
  argv: process.argv.slice(2),
  databaseUrl: process.env['DATABASE_DIRECT_URL'] ?? process.env['DATABASE_URL'],
  packs: hostMigrations,
})
