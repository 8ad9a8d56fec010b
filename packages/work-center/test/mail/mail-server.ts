import { once } from 'node:events'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A mail that a server has accepted: its envelope, its source and its parsed content. */
export interface ReceivedMail {
  readonly to: readonly string[]
  readonly source: string
  readonly content: Email
}

/** A real SMTP server on a free port. */
export interface MailServer {
  readonly port: number
  /** The accepted mails, in the order of their arrival. */
  readonly received: readonly ReceivedMail[]
}

export interface MailServerOptions extends SMTPServerOptions {
  /** Runs when the whole mail has arrived, before the server accepts it. A rejection refuses the mail. */
  onMail?(mail: ReceivedMail): void | Promise<void>
}

/** Starts a server without encryption and sign-in. It ends with the test. */
export async function startMailServer({ onMail, ...options }: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    ...{ authOptional: true, hideSTARTTLS: true, disableReverseLookup: true, closeTimeout: 1 },
    onData(stream, session, callback) {
      const accept = async () => {
        const source = Buffer.concat(await stream.toArray()).toString()
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const mail = { to, source, content: await PostalMime.parse(source) }
        await onMail?.(mail)
        received.push(mail)
      }
      accept().then(() => callback(), callback)
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return { port: address.port, received }
}
