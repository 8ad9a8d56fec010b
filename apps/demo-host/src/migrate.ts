import { runMigrateCommand } from '@vertical-kit/core-audit/database'
import { hostMigrations } from './migrations.ts'

process.exitCode = await runMigrateCommand({
  argv: process.argv.slice(2),
  environment: process.env,
  packs: hostMigrations,
})
