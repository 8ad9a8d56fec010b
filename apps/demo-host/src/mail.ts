import { runMailCommand } from '@vertical-kit/work-center/mail'
import './end-on-signal.ts'
import { operatorName } from './operator-name.ts'
import { withRunningDemo } from './running-demo.ts'

process.exitCode = await runMailCommand({
  argv: process.argv.slice(2),
  environment: await withRunningDemo(process.env),
  operator: operatorName(),
})
