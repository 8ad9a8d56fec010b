import type { Transporter } from 'nodemailer'
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
  const { from, fromName, deadlineMs } = config
  const domain = from.slice(from.lastIndexOf('@') + 1)
  return async ({ id, to, subject, text, html, unsubscribeUrl }, signal) => {
    // The signal ends the mail before these limits, which would allow several minutes by default.
    const transport = await openTransport(config, deadlineMs)
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

/** Loads `nodemailer`, and returns a transport whose steps end after `limitMs`. Connects only when it is used. */
export async function openTransport(
  { host, port, security, credentials }: MailConfig,
  limitMs: number,
): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    ...{ host, port, secure: security === 'Tls', requireTLS: security === 'StartTls' },
    ignoreTLS: security === 'None',
    tls: { minVersion: 'TLSv1.2' },
    ...(credentials !== null && {
      auth: { user: credentials.username, pass: await credentials.password() },
    }),
    ...{ connectionTimeout: limitMs, greetingTimeout: limitMs, socketTimeout: limitMs, dnsTimeout: limitMs },
    // Texts must never make the host read a file or an address.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
}

/**
 * Returns whether the server has refused the recipient for good, so that a repeated mail would fail, too.
 * @see RFC 5321 §4.2.1 for permanent answers
 */
export function isRecipientRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { command, responseCode } = error as { readonly command?: unknown; readonly responseCode?: unknown }
  return command === 'RCPT TO' && typeof responseCode === 'number' && responseCode >= 500
}
