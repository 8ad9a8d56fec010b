import { userInfo } from 'node:os'
import { runOutboxCommand } from '@vertical-kit/core-audit/outbox'

process.exitCode = await runOutboxCommand({
  argv: process.argv.slice(2),
  databaseUrl: process.env['DATABASE_URL'],
  operator: operatorName(),
})

/** A container may run as a user that the system has no name for. */
function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
