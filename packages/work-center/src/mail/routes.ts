import type { Database } from '@vertical-kit/core-audit/database'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { type Context, Hono } from 'hono'
import { MailSettings } from '../contract.ts'
import type { ItemDefinition } from '../definitions/definition.ts'
import { setMailSettings } from './commands/set-mail-settings.ts'
import { switchMailOff } from './commands/switch-mail-off.ts'
import type { MailConfig } from './config.ts'
import { defaultMailSettings, findMailSettings } from './queries/find-mail-settings.ts'
import { findTimeZone } from './time-zone.ts'
import { askPage, donePage, invalidPage } from './unsubscribe-page.ts'
import { type Unsubscription, verifyUnsubscription } from './unsubscribe-token.ts'

export interface MailRoutesOptions {
  readonly database: Database
  readonly config: Pick<MailConfig, 'unsubscribeSecret' | 'previousUnsubscribeSecret'>
  /** The definitions that offer mail. */
  readonly definitions: readonly ItemDefinition[]
}

/** Outside `/api`, because a mail program has no token. The signature of the link authorizes the request. */
export const unsubscribePath = '/mail/unsubscribe'

const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
}

/** Creates the routes of a user's mail settings, and of the link that switches mails off without a sign-in. */
export function mailRoutes({ database, config, definitions }: MailRoutesOptions): Hono<KitEnv> {
  const { unsubscribeSecret, previousUnsubscribeSecret } = config
  const unsubscriptionOf = async (c: Context<KitEnv>): Promise<Unsubscription | null> => {
    const token = c.req.query('token') ?? ''
    const found = verifyUnsubscription([await unsubscribeSecret()], token)
    if (found !== null) return found
    const previous = await previousUnsubscribeSecret?.()
    return previous == null ? null : verifyUnsubscription([previous], token)
  }
  const settings = { 200: { description: 'The settings of the caller', schema: MailSettings } }

  return new Hono<KitEnv>()
    .get(
      '/api/me/mail-settings',
      api({
        operationId: 'getMailSettings',
        tag: 'Work Center',
        summary: 'Returns when the caller receives mails.',
        responses: settings,
      }),
      async (c) => {
        const { userId } = c.get('caller')
        if (userId === null) return c.json(defaultMailSettings)
        return c.json(await database.read((db) => findMailSettings(db, userId)))
      },
    )
    .put(
      '/api/me/mail-settings',
      api({
        operationId: 'setMailSettings',
        tag: 'Work Center',
        summary: 'Sets when the caller receives mails: each one immediately, or all of a day at one hour.',
        body: MailSettings,
        responses: settings,
      }),
      async (c) => {
        const given = c.req.valid('json')
        const timeZone = await database.read((db) => findTimeZone(db, given.timeZone))
        const settings = { ...given, timeZone }
        const { userId } = await c.get('actor')()
        await database.statement((tx) => setMailSettings(tx, { userId, settings }))
        return c.json(settings)
      },
    )
    .get(unsubscribePath, async (c) => {
      const isValid = (await unsubscriptionOf(c)) !== null
      return c.html(isValid ? askPage() : invalidPage(), isValid ? 200 : 400, pageHeaders)
    })
    .post(unsubscribePath, async (c) => {
      const unsubscription = await unsubscriptionOf(c)
      if (unsubscription === null) return c.html(invalidPage(), 400, pageHeaders)
      const { userId, code } = unsubscription
      const codes = code === null ? definitions.map((definition) => definition.code) : [code]
      await database.statement((tx) => switchMailOff(tx, { userId, codes }))
      return c.html(donePage(), 200, pageHeaders)
    })
}
