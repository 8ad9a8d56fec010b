import { type KitModule, sql } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { Identity } from '@vertical-kit/core-audit/identity'
import { createSender } from '@vertical-kit/core-audit/outbox'
import type { Item } from '../contract.ts'
import type { WorkCenter } from '../module.ts'
import { version } from '../version.ts'
import { gatherMails, nextRequestAt } from './commands/gather-mails.ts'
import { requestAgain } from './commands/request-again.ts'
import type { MailConfig } from './config.ts'
import { loadMail } from './queries/load-mail.ts'
import { mailRoutes, unsubscribePath } from './routes.ts'
import { createSmtp, isRecipientRefused } from './smtp.ts'
import { defaultMailTemplate, type MailTemplate } from './template.ts'
import { signUnsubscription } from './unsubscribe-token.ts'

/** Which items are announced by mail, and with which texts and links. */
export interface MailOptions {
  readonly database: Database
  readonly config: MailConfig
  /** Provides all definitions, including those of `watch`. Mails announce items of those that list the channel `Email`. */
  readonly workCenter: Pick<WorkCenter, 'definitions'>
  /** Provides the codes of the roles that grant all permissions. */
  readonly identity: Pick<Identity, 'administratorRoleCodes'>
  /** Replaces the English texts. */
  readonly template?: MailTemplate
  /** Returns the address of an item in your front end. By default, mails have no links to items. */
  readonly itemUrl?: (item: Item) => string | null
}

/** The columns of a mail that `send` receives. */
type MailRow = { user_id: string; item_ids: readonly string[]; is_digest: boolean }

/**
 * Creates the module that announces items of the Work Center by mail. It needs `channels: ['InApp', 'Email']` in
 * `createWorkCenter`.
 *
 * Each mail is handed over once in effect: it is marked as sent after the server has accepted it. A process that dies in between,
 * or stops before the answer, can cause a duplicate with the same Message-ID. The rights of the recipient are read immediately
 * before.
 * No database connection is held while the host waits for the mail server.
 */
export function createMail(options: MailOptions): KitModule {
  const {
    database,
    config,
    workCenter,
    identity,
    template = defaultMailTemplate,
    itemUrl = () => null,
  } = options
  const definitions = workCenter.definitions.filter(({ channels }) => channels.includes('Email'))
  const { administratorRoleCodes } = identity
  const names = new Map(definitions.map(({ code, displayName }) => [code, displayName]))
  const handOver = createSmtp(config)

  const { workers, health } = createSender<MailRow>({
    ...{ database, config, name: 'work-center.mail', healthName: 'mail' },
    table: sql`work_center.mails`,
    columns: sql`user_id, item_ids, is_digest`,
    gather: async () => {
      while ((await database.statement(gatherMails)) > 0);
    },
    gatherAt: nextRequestAt,
    isFinal: isRecipientRefused,
    async send({ id, user_id: userId, item_ids: itemIds, is_digest: isDigest }, signal) {
      const mail = { userId, itemIds }
      const { recipient, items, heldIds } = await database.read((db) =>
        loadMail(db, { definitions, administratorRoleCodes, mail }),
      )
      const [first, ...others] = items.map((item) => ({
        ...item,
        definitionName: names.get(item.code) ?? item.code,
        url: itemUrl(item),
      }))
      if (recipient !== null && first !== undefined) {
        const code = isDigest ? null : first.code
        const token = signUnsubscription(await config.unsubscribeSecret(), { userId, code })
        const unsubscribeUrl = `${config.publicUrl}${unsubscribePath}?token=${token}`
        const texts = template({ recipient, isDigest, items: [first, ...others], unsubscribeUrl })
        const to = { name: recipient.displayName, address: recipient.address }
        await handOver({ id, to, unsubscribeUrl, ...texts }, signal)
      }
      return {
        state: recipient === null || first === undefined ? 'skipped' : 'sent',
        // Not before the mail is sent: if this attempt fails, the next one loads these tasks again.
        async follow() {
          for (const itemId of heldIds) await database.statement((tx) => requestAgain(tx, { userId, itemId }))
        },
      }
    },
  })
  return {
    name: '@vertical-kit/work-center/mail',
    version,
    router: mailRoutes({ database, config, definitions }),
    workers,
    health: [health],
    doctor: async () => [(await import('./server-check.ts')).mailServerCheck(config)],
  }
}
