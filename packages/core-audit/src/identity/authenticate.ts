import type { Context, MiddlewareHandler } from 'hono'
import type { Caller } from '../access/caller.ts'
import type { Database, Db } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { ensureUser } from './commands/ensure-user.ts'
import { type Account, loadAccount } from './queries/load-account.ts'
import { type Principal, readToken, type Tokens } from './tokens.ts'

export interface AuthenticateOptions {
  readonly database: Database
  readonly tokens: Tokens
  /** Codes of our roles that grant everything. */
  readonly administratorRoleCodes: ReadonlySet<string>
}

/**
 * Puts the caller on the request, with their rights as of now, and gives mutations their actor: `c.get('actor')()`
 * resolves at once unless the user record has to be created or updated first.
 *
 * @throws {CoreError} auth.required · auth.inactive · service.unavailable
 */
export function createAuthenticate(options: AuthenticateOptions): MiddlewareHandler<KitEnv> {
  const { database, tokens, administratorRoleCodes } = options
  return async (c, next) => {
    const principal = await tokens.verify(readToken(tokens, c))
    const account = await database.read((db) => loadActiveAccount(db, principal.subject))
    const caller = toCaller(principal, account, administratorRoleCodes)
    c.set('credentialsExpireAtMs', principal.expiresAtMs)
    c.set('caller', caller)
    c.set('actor', () => actorOf(database, c, caller))
    c.set('callerNow', async (tx) =>
      toCaller(principal, await loadActiveAccount(tx, principal.subject), administratorRoleCodes),
    )
    await next()
  }
}

async function actorOf(database: Database, c: Context<KitEnv>, caller: Caller) {
  const known = caller.profileChanged ? null : caller.userId
  const userId = known ?? (await database.statement((tx) => ensureUser(tx, caller)))
  return { userId, displayName: caller.displayName, correlationId: c.get('requestId') }
}

/** A deactivated account stays out, whatever its credentials say. */
async function loadActiveAccount(db: Db, subject: string): Promise<Account | undefined> {
  const account = await loadAccount(db, subject)
  if (account?.isActive === false) throw new CoreError('auth.inactive')
  return account
}

/** What the credentials do not say stays as the record has it: many access tokens carry no name. */
function toCaller(
  principal: Principal,
  account: Account | undefined,
  administratorRoleCodes: ReadonlySet<string>,
): Caller {
  const email = principal.email ?? account?.email ?? null
  const displayName = principal.displayName ?? account?.displayName ?? principal.subject
  const roles = account?.roles ?? []
  return {
    subject: principal.subject,
    email,
    displayName,
    userId: account?.userId ?? null,
    profileChanged: account !== undefined && (account.email !== email || account.displayName !== displayName),
    isPlatformAdministrator: principal.isAdministrator,
    isAdministrator: principal.isAdministrator || roles.some((role) => administratorRoleCodes.has(role.code)),
    roles,
    permissions: account?.permissions ?? new Set(),
  }
}
