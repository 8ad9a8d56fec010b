import { runMailCommand } from '@vertical-kit/work-center/mail'
import { operatorName } from './operator-name.ts'

process.exitCode = await runMailCommand({
  argv: process.argv.slice(2),
  environment: process.env,
  operator: operatorName(),
})
