import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** Returns a new secret of 32 random bytes. @see https://www.standardwebhooks.com */
export const newSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`

/** The content that a signature covers. */
export interface SignedRequest {
  readonly id: string
  readonly timestampSeconds: number
  readonly body: string
}

/**
 * Returns the headers of a request in the format of Standard Webhooks. There is one signature for each secret, so receivers
 * can exchange their secret at any time during a rotation.
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, timestampSeconds, body }: SignedRequest,
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}
