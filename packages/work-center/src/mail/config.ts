import { isIP } from 'node:net'
import { emailAddressPattern } from '@vertical-kit/core-audit/contract'
import type { EnvironmentReader } from '@vertical-kit/core-audit/host'
import type { SenderConfig } from '@vertical-kit/core-audit/outbox'

/** How the connection to the mail server is encrypted. `StartTls` refuses to continue without encryption. */
export const mailSecurities = ['Tls', 'StartTls', 'None'] as const
export type MailSecurity = (typeof mailSecurities)[number]

/** A function that returns the current value of a secret, which can change while the host runs. */
type Secret = () => Promise<string>

/** The mail server, the sender's address, and limits. */
export interface MailConfig extends SenderConfig {
  readonly host: string
  readonly port: number
  readonly security: MailSecurity
  /** `null` for a server that needs no sign-in. */
  readonly credentials: { readonly username: string; readonly password: Secret } | null
  /** The address of the sender, such as `app@example.com`. Its domain is part of each Message-ID. */
  readonly from: string
  readonly fromName: string
  /** The address of this host in mails, without a path: the target of the link that switches mails off. */
  readonly publicUrl: string
  /** Signs the links that switch mails off. */
  readonly unsubscribeSecret: Secret
  /**
   * The secret before the last change, which keeps the links of older mails valid; `null` if there is none. Resolves with null
   * once its file is removed or emptied.
   */
  readonly previousUnsubscribeSecret: (() => Promise<string | null>) | null
}

/** The limits of a deployment that sets none. */
export const mailDefaults = {
  pollIntervalMs: 5_000,
  deadlineMs: 30_000,
  maxAttempts: 8,
  batchSize: 5,
  retentionMs: 30 * 86_400_000,
} as const satisfies SenderConfig

/** The keys besides `Mail__Host`. None of them has an effect without it. */
const otherKeys = [
  ...[
    'Mail__Port',
    'Mail__Security',
    'Mail__Username',
    'Mail__Password',
    'Mail__Password_FILE',
    'Mail__From',
  ],
  ...['Mail__FromName', 'Mail__PublicUrl', 'Mail__UnsubscribeSecret', 'Mail__UnsubscribeSecret_FILE'],
  ...['Mail__PreviousUnsubscribeSecret', 'Mail__PreviousUnsubscribeSecret_FILE'],
  ...['Mail__Deadline', 'Mail__MaxAttempts'],
]
const ports: Record<MailSecurity, number> = { Tls: 465, StartTls: 587, None: 25 }
const minSecretChars = 32

/**
 * Reads the keys of the section `Mail__`. Returns `null` if no `Mail__Host` is set, because the deployment then sends no mail.
 * Mail is encrypted by default. A sign-in without encryption is a problem, and so is half a configuration.
 */
export function readMailConfig(env: EnvironmentReader): MailConfig | null {
  const host = env.string('Mail__Host')
  if (host === '') return readNothing(env)
  // A scheme or a port would become part of a name that no name server knows.
  if (isIP(host) === 0 && /[\s/:@[\]]/.test(host)) {
    env.problem('Mail__Host', 'expected a host name or an IP address; the port belongs to Mail__Port')
  }
  const security = env.string('Mail__Security', {
    default: 'Tls',
    pattern: /^(Tls|StartTls|None)$/,
    expected: mailSecurities.join(', '),
  }) as MailSecurity
  return {
    host,
    port: env.integer('Mail__Port', { default: ports[security] ?? ports.Tls, min: 1, max: 65_535 }),
    security,
    credentials: readCredentials(env, security),
    from: env.required('Mail__From', {
      pattern: emailAddressPattern,
      expected: 'an address like app@example.com',
    }),
    fromName: env.string('Mail__FromName', {
      default: 'Notifications',
      pattern: /^[^\r\n]*$/,
      expected: 'one line',
    }),
    publicUrl: readPublicUrl(env),
    unsubscribeSecret: readUnsubscribeSecret(env),
    previousUnsubscribeSecret: readPreviousSecret(env),
    ...mailDefaults,
    deadlineMs: env.durationMs('Mail__Deadline', {
      default: mailDefaults.deadlineMs,
      min: 1_000,
      max: 300_000,
    }),
    maxAttempts: env.integer('Mail__MaxAttempts', { default: mailDefaults.maxAttempts, min: 1, max: 100 }),
  }
}

function readNothing(env: EnvironmentReader): null {
  for (const key of otherKeys) {
    if (env.string(key).trim() !== '') env.problem(key, 'has no effect without Mail__Host')
  }
  return null
}

function readCredentials(env: EnvironmentReader, security: MailSecurity): MailConfig['credentials'] {
  const username = env.string('Mail__Username')
  const password = env.secret('Mail__Password')
  if (username === '' && password === undefined) return null
  if (username === '') env.problem('Mail__Username', 'is required with Mail__Password')
  if (password === undefined) env.problem('Mail__Password', 'is required with Mail__Username')
  if (security === 'None') env.problem('Mail__Security', 'None would send the password without encryption')
  return { username, password: password ?? (async () => '') }
}

/** RFC 8058 requires HTTPS for the link. Only a server on the same machine may use HTTP, for local development. */
function readPublicUrl(env: EnvironmentReader): string {
  const text = env.required('Mail__PublicUrl')
  if (text === '') return ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  const isOrigin = url !== undefined && url.username === '' && `${url.origin}/` === url.href
  if (!isOrigin || !(url.protocol === 'https:' || isLocal)) {
    env.problem('Mail__PublicUrl', 'expected https://host[:port] without a path')
  }
  return url?.origin ?? ''
}

function readUnsubscribeSecret(env: EnvironmentReader): Secret {
  const key = 'Mail__UnsubscribeSecret'
  return readKey(env, key, env.required(key)) ?? (async () => '')
}

function readPreviousSecret(env: EnvironmentReader): MailConfig['previousUnsubscribeSecret'] {
  const key = 'Mail__PreviousUnsubscribeSecret'
  const read = readKey(env, key, env.string(key))
  if (read === undefined) return null
  return () =>
    read().catch((error: unknown) => {
      const isRemoved = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (isRemoved || error instanceof ShortSecret) return null
      throw error
    })
}

class ShortSecret extends Error {}

/** Checks the length at each read, because everybody can sign with the key of an emptied file. */
function readKey(env: EnvironmentReader, key: string, first: string): Secret | undefined {
  const problem = `expected at least ${minSecretChars} characters`
  if (first.length > 0 && first.length < minSecretChars) env.problem(key, problem)
  const read = env.secret(key)
  return (
    read &&
    (async () => {
      const value = await read()
      if (value.length < minSecretChars) throw new ShortSecret(`${key}: ${problem}`)
      return value
    })
  )
}
