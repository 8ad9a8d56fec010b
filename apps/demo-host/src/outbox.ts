import { userInfo } from 'node:os'
import { runOutboxCommand } from '@vertical-kit/core-audit/outbox'

process.exitCode = await runOutboxCommand({
  argv: process.argv.slice(2),
  environment: process.env,
  operator: operatorName(),
})

/** Returns the user name of this process, or the numeric user id if the user has no name, for example in a container. */
function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
