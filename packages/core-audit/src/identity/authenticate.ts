import type { MiddlewareHandler } from 'hono'
import type { Database, Db } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import type { KitEnv } from '../http/environment.ts'
import type { Caller } from './caller.ts'
import { ensureUser } from './commands/ensure-user.ts'
import { type Account, loadAccount } from './queries/load-account.ts'
import type { TokenVerifier } from './verify-token.ts'

export interface AuthenticateOptions {
  readonly database: Database
  readonly verifyToken: TokenVerifier
  /** The identity provider's role that grants everything. */
  readonly administratorRole: string
  /** Codes of our roles that grant everything. */
  readonly administratorRoleCodes: ReadonlySet<string>
}

/** Who did something, as audit events and rows record it. */
export interface Actor {
  readonly userId: string
  readonly displayName: string
  /** The id of the request. */
  readonly correlationId: string
}

/** A caller, and until when the token says so: what outlives a request, such as a socket, ends then. */
export interface IdentifiedCaller {
  readonly caller: Caller
  readonly tokenExpiresAtMs: number
}

/**
 * Turns a token into a caller: who it is, and what they may do now.
 * @throws {CoreError} auth.required · auth.inactive · service.unavailable
 */
export type IdentifyCaller = (token: string) => Promise<IdentifiedCaller>

/**
 * Loads the rights of a known caller again. In a transaction, once the row a decision is about is locked, what a
 * change that was waited for has revoked is revoked here too.
 * @throws {CoreError} auth.inactive
 */
export type ReloadCaller = (db: Db, caller: Caller) => Promise<Caller>

export function createIdentifyCaller(options: AuthenticateOptions): IdentifyCaller {
  return async (token) => {
    const { roles, expiresAtMs, ...bearer } = await options.verifyToken(token)
    const account = await options.database.read((db) => loadActiveAccount(db, bearer.subject))
    const isPlatformAdministrator = roles.includes(options.administratorRole)
    const caller = toCaller({ ...bearer, isPlatformAdministrator }, account, options.administratorRoleCodes)
    return { caller, tokenExpiresAtMs: expiresAtMs }
  }
}

export function createReloadCaller(administratorRoleCodes: ReadonlySet<string>): ReloadCaller {
  return async (db, caller) =>
    toCaller(caller, await loadActiveAccount(db, caller.subject), administratorRoleCodes)
}

/**
 * Takes `Authorization: Bearer`, puts the caller on the request, and gives mutations their actor: `c.get('actor')()`
 * resolves at once unless the user record has to be made or brought up to date first.
 */
export function authenticate(
  options: Pick<AuthenticateOptions, 'database'> & {
    readonly identify: IdentifyCaller
    readonly reload: ReloadCaller
  },
): MiddlewareHandler<KitEnv> {
  const { database, identify, reload } = options
  return async (c, next) => {
    const { caller } = await identify(bearerToken(c.req.header('authorization')))
    c.set('caller', caller)
    c.set('actor', async () => {
      const known = caller.profileChanged ? null : caller.userId
      const userId = known ?? (await database.statement((tx) => ensureUser(tx, caller)))
      return { userId, displayName: caller.displayName, correlationId: c.get('requestId') }
    })
    c.set('callerNow', (tx) => reload(tx, caller))
    await next()
  }
}

function bearerToken(header: string | undefined): string {
  const token = /^Bearer +([\w\-.~+/]+=*)$/i.exec(header ?? '')?.[1]
  if (token === undefined) throw new CoreError('auth.required')
  return token
}

/** A deactivated account stays out, whatever roles the token carries. */
async function loadActiveAccount(db: Db, subject: string): Promise<Account | undefined> {
  const account = await loadAccount(db, subject)
  if (account?.isActive === false) throw new CoreError('auth.inactive')
  return account
}

interface Bearer {
  readonly subject: string
  readonly email: string | null
  readonly displayName: string | null
  readonly isPlatformAdministrator: boolean
}

/** What the token does not say is left as the record has it: many an access token carries no name. */
function toCaller(
  bearer: Bearer,
  account: Account | undefined,
  administratorRoleCodes: ReadonlySet<string>,
): Caller {
  const email = bearer.email ?? account?.email ?? null
  const displayName = bearer.displayName ?? account?.displayName ?? bearer.subject
  const roles = account?.roles ?? []
  return {
    subject: bearer.subject,
    email,
    displayName,
    userId: account?.userId ?? null,
    profileChanged: account !== undefined && (account.email !== email || account.displayName !== displayName),
    isPlatformAdministrator: bearer.isPlatformAdministrator,
    isAdministrator:
      bearer.isPlatformAdministrator || roles.some((role) => administratorRoleCodes.has(role.code)),
    roles,
    permissions: account?.permissions ?? new Set(),
  }
}
