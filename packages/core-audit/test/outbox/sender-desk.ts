import type { Database } from '@vertical-kit/core-audit/database'
import { createSender, type SenderConfig, type SenderOptions } from '@vertical-kit/core-audit/outbox'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { runSql } from '../harness.ts'

/** The columns of a test message that `send` receives. */
export type MessageRow = { to_name: string; number: number }

/** Creates a table of messages as `createSender` requires it. */
export const createMessages = (url: string): Promise<void> =>
  runSql(
    url,
    `create schema test;
     create table test.messages (
       id uuid primary key default gen_random_uuid(),
       to_name text not null,
       number int not null,
       state text not null default 'pending',
       state_since timestamptz not null default clock_timestamp(),
       attempts int not null default 0,
       available_at timestamptz not null default clock_timestamp(),
       lease_token uuid,
       failure jsonb
     );
     create index on test.messages (to_name, available_at) where state = 'pending';
     create index on test.messages (state, state_since) where state <> 'pending';`,
  )

/** Adds messages to a destination, numbered from 1. They are due, after all messages that were added before. */
export const addMessages = (database: Database, toName: string, count: number) =>
  database.statement((tx) =>
    tx.execute(sql`
      insert into test.messages (to_name, number, available_at)
      select ${toName}, number, clock_timestamp() from generate_series(1, ${count}::int) number`),
  )

/** Returns all messages, by destination and number. */
export const messagesOf = (database: Database) =>
  database.read((db) =>
    db.execute<{
      to_name: string
      number: number
      state: string
      attempts: number
      is_leased: boolean
      is_due: boolean
    }>(sql`
      select to_name, number, state, attempts, lease_token is not null as is_leased,
        state = 'pending' and available_at <= statement_timestamp() as is_due
      from test.messages
      order by to_name, number`),
  )

/** Creates a sender that polls often, has two slots, and never reaches a deadline in a test. */
export function makeSender(
  database: Database,
  send: (...call: Parameters<SenderOptions<MessageRow>['send']>) => Promise<'sent' | 'skipped'>,
  config: Partial<SenderConfig> = {},
  options: Partial<SenderOptions<MessageRow>> = {},
) {
  const log = captureLog()
  const { workers, health } = createSender<MessageRow>({
    ...{ database, name: 'test.sender', healthName: 'sender' },
    send: async (...call) => ({ state: await send(...call) }),
    table: sql`test.messages`,
    columns: sql`to_name, number`,
    destination: sql<string>`to_name`,
    ...options,
    config: {
      ...{ pollIntervalMs: 10, deadlineMs: 2 ** 31 - 1, maxAttempts: 3, batchSize: 2, retentionMs: 60_000 },
      ...config,
    },
  })
  const [worker] = workers
  if (worker === undefined) throw new Error('The sender has no worker')
  return {
    worker,
    health: () => health.check(new AbortController().signal),
    run: () => worker.runOnce(new AbortController().signal, log.logger),
    logger: log.logger,
    get logged() {
      return log.entries
    },
  }
}
