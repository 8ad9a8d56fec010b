import { runAuditCommand } from '@vertical-kit/core-audit/audit'
import './end-on-signal.ts'
import { operatorName } from './operator-name.ts'
import { withRunningDemo } from './running-demo.ts'

process.exitCode = await runAuditCommand({
  argv: process.argv.slice(2),
  environment: await withRunningDemo(process.env),
  operator: operatorName(),
})
