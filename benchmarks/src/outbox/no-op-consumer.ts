/**
 * Handles COUNT events of the outbox at DATABASE_URL without doing anything. Starts when the parent process sends a message,
 * and answers with the time until the last commit.
 */
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createLogger, startBackgroundHost } from '@vertical-kit/core-audit/host'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'

const logger = createLogger({ level: 'error' })
const database = createDatabase({ ...databaseDefaults, url: process.env['DATABASE_URL'] ?? '' })
const outbox = createOutbox({ database, config: outboxDefaults })
let left = Number(process.env['COUNT'])
let startedMs = 0
outbox.consume({
  name: 'no-op',
  healthName: 'no-op',
  handle: async () => {},
  onCommitted(_, events) {
    left -= events.length
    if (left === 0) process.send?.({ spanMs: performance.now() - startedMs })
  },
})
process.once('message', async () => {
  startedMs = performance.now()
  const host = await startBackgroundHost({ database, logger, modules: [outbox, outbox.processing] })
  process.once('SIGTERM', () => host.close())
})
console.log('ready {"url":""}')
