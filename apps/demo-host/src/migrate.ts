import { runMigrateCommand } from '@vertical-kit/core-audit/database'
import './end-on-signal.ts'
import { hostMigrations } from './migrations.ts'
import { withRunningDemo } from './running-demo.ts'

process.exitCode = await runMigrateCommand({
  argv: process.argv.slice(2),
  environment: await withRunningDemo(process.env),
  packs: hostMigrations,
})
