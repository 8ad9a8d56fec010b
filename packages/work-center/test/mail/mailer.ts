import type { Database } from '@vertical-kit/core-audit/database'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import type { ItemDefinition } from '../../src/definitions/definition.ts'
import { defineNotification, defineTask } from '../../src/definitions/definition.ts'
import { createInboxWriter } from '../../src/inbox/inbox.ts'
import { type MailConfig, mailDefaults } from '../../src/mail/config.ts'
import { createMail, type MailOptions } from '../../src/mail/mail.ts'
import { settled as plainNotification, collectPayment as plainTask } from '../definitions.ts'
import { administratorRoleCodes, config } from '../desk.ts'

const mailed = { channels: ['InApp', 'Email'], emailDefaultEnabled: true } as const

/** Definitions with mail switched on by default. */
export const collectPayment = defineTask({ ...plainTask, ...mailed })
export const settled = defineNotification({ ...plainNotification, ...mailed })
/** A definition with mail that users must switch on. */
export const quiet = defineNotification({
  ...plainNotification,
  code: 'trade.quiet',
  channels: ['InApp', 'Email'],
})
export const definitions: readonly ItemDefinition[] = [collectPayment, settled, quiet]

/** The configuration of a server without encryption on this port. */
export const mailConfig = (port: number, overrides: Partial<MailConfig> = {}): MailConfig => ({
  ...mailDefaults,
  ...{ host: '127.0.0.1', port, security: 'None', credentials: null },
  ...{ from: 'app@example.com', fromName: 'Trade', publicUrl: 'https://app.example.com' },
  unsubscribeSecret: async () => 'a secret of at least 32 characters',
  previousUnsubscribeSecret: null,
  ...overrides,
})

/** A sender of mails that runs only when the test calls `run`. */
export function makeMailer(
  database: Database,
  mail: MailConfig,
  options: Pick<MailOptions, 'template' | 'itemUrl'> = {},
) {
  const log = captureLog()
  const module = createMail({
    ...{ database, workCenter: { definitions }, config: mail, identity: { administratorRoleCodes } },
    ...options,
  })
  const [sender, retention] = module.workers ?? []
  if (sender === undefined || retention === undefined) throw new Error('The module has no workers')
  return {
    module,
    sender,
    retention,
    run: () => sender.runOnce(new AbortController().signal, log.logger),
    get logged() {
      return log.entries
    },
  }
}

/** Creates the function that writes items of these definitions. */
export const writerOf = (database: Database) =>
  createInboxWriter({ database, definitions, config, administratorRoleCodes, announce: () => {} })

/** Lists the stored mails. */
export const mailsOf = (database: Database) =>
  database.read((db) =>
    db.execute<{ id: string; user_id: string; state: string; attempts: number; failure: unknown }>(sql`
      select id, user_id, state, attempts, failure from work_center.mails order by id`),
  )

/** Lists the states of the stored mails. */
export const statesOf = async (database: Database): Promise<readonly string[]> =>
  (await mailsOf(database)).map(({ state }) => state)

/** Changes times in the database so that retries and digests are due and leases have expired. */
export const letMailTimePass = (database: Database) =>
  database.transaction(async (tx) => {
    await tx.execute(
      sql`update work_center.mails set available_at = statement_timestamp() where state = 'pending'`,
    )
    await tx.execute(sql`update work_center.mail_requests set due_at = statement_timestamp()`)
  })
