import { once } from 'node:events'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A mail that the demo has received. Nothing leaves the machine. */
export interface DemoMail {
  /** The position of the mail since the start, starting at 1. */
  readonly number: number
  readonly to: string
  readonly receivedAtUtc: string
  readonly content: Email
}

/** The mail server of the demo. It keeps the newest mails in memory. */
export interface DemoMailServer {
  /** The address, such as `smtp://127.0.0.1:2525`. */
  readonly url: string
  /** Newest first. */
  mails(): readonly DemoMail[]
  close(): Promise<void>
}

const maxMails = 100
const maxBytes = 1024 * 1024

/** Starts a mail server that accepts every mail on a free port of this machine. */
export async function startDemoMail(): Promise<DemoMailServer> {
  const received: DemoMail[] = []
  let count = 0
  const server = new SMTPServer({
    ...{
      authOptional: true,
      hideSTARTTLS: true,
      disableReverseLookup: true,
      closeTimeout: 1,
      size: maxBytes,
    },
    onData(stream, session, callback) {
      const accept = async () => {
        const content = await PostalMime.parse(Buffer.concat(await stream.toArray()))
        const to = session.envelope.rcptTo.map(({ address }) => address).join(', ')
        count += 1
        received.unshift({ number: count, to, receivedAtUtc: new Date().toISOString(), content })
        received.splice(maxMails)
      }
      accept().then(() => callback(), callback)
    },
  })
  // A client that disconnects early causes an error, which concerns only that client.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('The mail server has no port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails: () => received,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}
