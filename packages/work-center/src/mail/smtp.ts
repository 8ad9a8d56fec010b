import type { MailConfig } from './config.ts'
import type { MailText } from './template.ts'

/** One mail to one recipient. */
export interface OutgoingMail extends MailText {
  /** Identifies the mail, so that servers and readers can recognize a repeated one. */
  readonly id: string
  readonly to: { readonly name: string; readonly address: string }
  /** The address for a click of the mail program (RFC 8058). */
  readonly unsubscribeUrl: string
}

/** Hands one mail over to the server. Resolves when the server has accepted it. */
export type SendMail = (mail: OutgoingMail, signal: AbortSignal) => Promise<void>

/**
 * Creates the connection to a mail server through SMTP. Each mail has a connection of its own, which ends when the signal is
 * aborted. The first mail loads `nodemailer`.
 *
 * @see RFC 8058 for the headers of one-click unsubscription; RFC 3834 for `Auto-Submitted`
 */
export function createSmtp(config: MailConfig): SendMail {
  const { host, port, security, from, fromName, deadlineMs } = config
  const domain = from.slice(from.lastIndexOf('@') + 1)
  return async ({ id, to, subject, text, html, unsubscribeUrl }, signal) => {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      ...{ host, port, secure: security === 'Tls', requireTLS: security === 'StartTls' },
      ignoreTLS: security === 'None',
      tls: { minVersion: 'TLSv1.2' },
      ...(config.credentials !== null && {
        auth: { user: config.credentials.username, pass: await config.credentials.password() },
      }),
      // The signal ends the mail before these limits, which would allow several minutes by default.
      ...{ connectionTimeout: deadlineMs, greetingTimeout: deadlineMs, socketTimeout: deadlineMs },
      // Texts must never make the host read a file or an address.
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
    await transport.sendMail({
      ...{ subject, text, html, signal },
      from: { name: fromName, address: from },
      to: { name: to.name, address: to.address },
      // Never derived from the header, which a name could change.
      envelope: { from, to: [to.address] },
      messageId: `<${id}@${domain}>`,
      headers: {
        'Auto-Submitted': 'auto-generated',
        'List-Unsubscribe': { prepared: true, value: `<${unsubscribeUrl}>` },
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    })
  }
}
