import { runOutboxCommand } from '@vertical-kit/core-audit/outbox'
import { operatorName } from './operator-name.ts'

process.exitCode = await runOutboxCommand({
  argv: process.argv.slice(2),
  environment: process.env,
  operator: operatorName(),
})
