import { type DoctorCheck, failed, failureCode, ok } from '@vertical-kit/core-audit/doctor'
import type { MailConfig } from './config.ts'
import { openTransport } from './smtp.ts'

/** Shorter than the limit of the doctor, so that the finding names the key. */
const limitMs = 10_000

/** Returns the check that the mail server accepts the connection, its encryption and the sign-in. Sends no mail. */
export const mailServerCheck = (config: MailConfig): DoctorCheck => ({
  name: 'mail.server',
  async run({ signal }) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
    const ended = Promise.withResolvers<never>()
    // The limit can pass before or after the race.
    ended.promise.catch(() => {})
    limit.addEventListener('abort', () => ended.reject(limit.reason), { once: true })
    try {
      const transport = await openTransport(config, limitMs)
      await Promise.race([transport.verify(), ended.promise])
      return ok(
        `The mail server accepts the connection${config.credentials === null ? '' : ' and the sign-in'}.`,
      )
    } catch (error) {
      return finding(failureCode(error))
    }
  },
})

const finding = (code: string) =>
  code === 'EAUTH' || code === 'ENOAUTH'
    ? failed(`The mail server refuses the sign-in (${code}).`, 'Set Mail__Username and Mail__Password.')
    : failed(
        `The mail server does not accept an SMTP connection (${code}).`,
        'Set Mail__Host, Mail__Port and Mail__Security, and check its certificate and firewalls.',
      )
