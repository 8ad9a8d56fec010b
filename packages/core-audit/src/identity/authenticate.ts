import type { Context, MiddlewareHandler } from 'hono'
import type { Logger } from 'pino'
import type { Caller } from '../access/caller.ts'
import type { Database, Tx } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { createAccountReader } from './account-reader.ts'
import { recordPrincipal } from './commands/record-principal.ts'
import { listRolesHolding } from './queries/list-roles-holding.ts'
import { type Account, type AccountQuery, loadAccounts } from './queries/load-accounts.ts'
import { identify, type Principal, type Tokens } from './tokens.ts'

export interface AuthenticateOptions {
  readonly database: Database
  readonly tokens: Tokens
  /** Codes of the application roles that grant everything. */
  readonly administratorRoleCodes: ReadonlySet<string>
}

/**
 * Creates the middleware that sets the caller of a request, with the caller's current rights, and the actor of the changes.
 * `c.get('actor')()` resolves immediately unless the user record must be created or updated first. The first successful
 * request (2xx) of an unknown subject creates the record, in the transaction of its change if it has one. Requests of known
 * users need no additional statement. Concurrent requests share the statement that reads their rights.
 *
 * @throws {CoreError} auth.required · auth.inactive · service.unavailable
 */
export function createAuthenticate(options: AuthenticateOptions): MiddlewareHandler<KitEnv> {
  const { database, tokens, administratorRoleCodes } = options
  const readAccount = createAccountReader(database)
  const reportMissing = missingRoleReporter()
  return async (c, next) => {
    const principal = await identify(tokens, c)
    const account = requireActive(await readAccount(queryOf(principal)))
    reportMissing(c, principal, account)
    const caller = toCaller(principal, account, administratorRoleCodes)
    const recorded = recordOnce(database, principal)
    c.set('credentialsExpireAtMs', principal.expiresAtMs)
    c.set('caller', caller)
    c.set('actor', async (tx) => ({
      userId: (caller.profileChanged ? null : caller.userId) ?? (await recorded(tx)),
      displayName: caller.displayName,
      correlationId: c.get('requestId'),
    }))
    c.set('callerNow', async (tx) => {
      const [current] = await loadAccounts(tx, [queryOf(principal)])
      return toCaller(principal, requireActive(current as Account), administratorRoleCodes)
    })
    c.set('rolesHolding', (db, permissions) => listRolesHolding(db, administratorRoleCodes, permissions))
    c.set('callerLater', async () => {
      const current = requireActive(await readAccount(queryOf(principal)))
      return toCaller(principal, current, administratorRoleCodes)
    })
    await next()
    // A rejected request creates no record: otherwise every account of the identity provider could create a record.
    if (account.record === null && c.finalized && c.res.ok)
      await recorded().catch((err: unknown) => missed(c, err))
  }
}

/**
 * Returns a function that creates or updates the record of a user, and returns its id. It does so once, and again after a
 * transaction that was rolled back, or a failure.
 */
export function recordOnce(database: Database, principal: Principal): (tx?: Tx) => Promise<string> {
  let recorded: Promise<string> | undefined
  return (tx) => {
    if (recorded !== undefined) return recorded
    const recording =
      tx === undefined
        ? database.statement((one) => recordPrincipal(one, principal))
        : recordPrincipal(tx, principal)
    const keep = () => {
      recorded = recording
    }
    // A failure must not be kept: the next item of a batch tries again.
    const forget = () => {
      if (recorded === recording) recorded = undefined
    }
    recording.catch(forget)
    if (tx === undefined) keep()
    else tx.afterCommit(keep)
    return recording
  }
}

/** Only logs the failure: the request succeeded, so its answer must not change. The next request tries again. */
function missed(c: Context<KitEnv>, err: unknown): void {
  const logger: Logger | undefined = c.get('logger')
  logger?.warn({ err, requestId: c.get('requestId') }, 'The record of a new user could not be created.')
}

/**
 * Returns a function that logs each code of a token role without an active role, once per process. Roles can be created
 * and deactivated while the host runs, so the configuration cannot be checked at the start.
 */
function missingRoleReporter() {
  const reported = new Set<string>()
  return (c: Context<KitEnv>, { roleCodes = [] }: Principal, { roles }: Account): void => {
    for (const roleCode of roleCodes) {
      if (reported.has(roleCode) || roles.some(({ code }) => code === roleCode)) continue
      reported.add(roleCode)
      const logger: Logger | undefined = c.get('logger')
      logger?.warn({ roleCode }, 'A role of a token grants nothing: it does not exist or is not active.')
    }
  }
}

const queryOf = ({ subject, roleCodes = [] }: Principal): AccountQuery => ({
  subject,
  tokenRoleCodes: roleCodes,
})

/** Rejects deactivated accounts, even if their credentials grant everything. */
function requireActive(account: Account): Account {
  if (account.record?.isActive === false) throw new CoreError('auth.inactive')
  return account
}

/** Combines the credentials and the record. Many access tokens contain no name, so the record supplies missing values. */
function toCaller(
  principal: Principal,
  { record, roles, permissions, trustedRoleCodes, position }: Account,
  administratorRoleCodes: ReadonlySet<string>,
): Caller {
  const { subject, isAdministrator, defaultName = subject } = principal
  const email = principal.email ?? record?.email ?? null
  const displayName = principal.displayName ?? record?.displayName ?? defaultName
  return {
    subject,
    email,
    displayName,
    userId: record?.userId ?? null,
    profileChanged: record !== null && (record.email !== email || record.displayName !== displayName),
    isPlatformAdministrator: isAdministrator,
    isAdministrator: isAdministrator || trustedRoleCodes.some((code) => administratorRoleCodes.has(code)),
    roles,
    permissions,
    ...(position !== null && { since: position }),
  }
}
