import { userInfo } from 'node:os'
import { runOutboxCommand } from '@vertical-kit/core-audit/outbox'

process.exitCode = await runOutboxCommand({
  argv: process.argv.slice(2),
  databaseUrl: process.env['DATABASE_DIRECT_URL'] ?? process.env['DATABASE_URL'],
  operator: operatorName(),
})

/** In a container, the user of the process can lack a name. */
function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
