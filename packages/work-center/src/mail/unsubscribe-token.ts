import { createHmac, timingSafeEqual } from 'node:crypto'

/** The mails that a link switches off: those of one definition, or of all definitions if `code` is `null`. */
export interface Unsubscription {
  readonly userId: string
  readonly code: string | null
}

/** Separates these signatures from other uses of the same secret. */
const purpose = 'vertical-kit.unsubscribe.v1'

const signatureOf = (secret: string, payload: string): Buffer =>
  createHmac('sha256', secret).update(`${purpose}\n${payload}`).digest()

/** Returns the token of a link. It does not expire, because people also open old mails. */
export function signUnsubscription(secret: string, { userId, code }: Unsubscription): string {
  const payload = Buffer.from(JSON.stringify([userId, code])).toString('base64url')
  return `${payload}.${signatureOf(secret, payload).toString('base64url')}`
}

/** Returns what a token switches off, or `null` if none of the secrets has signed it. */
export function verifyUnsubscription(secrets: readonly string[], token: string): Unsubscription | null {
  const [payload = '', signature = '', ...rest] = token.split('.')
  const given = Buffer.from(signature, 'base64url')
  const isSigned = secrets.some((secret) => {
    const expected = signatureOf(secret, payload)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (rest.length > 0 || !isSigned) return null
  const [userId, code] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, string | null]
  return { userId, code }
}
