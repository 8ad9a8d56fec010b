import type { MiddlewareHandler } from 'hono'
import type { PermissionDefinition } from '../access/permission.ts'
import { coreMigrations } from '../database/core-migrations.ts'
import type { Database, Tx } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import type { KitEnv } from '../http/kit-env.ts'
import type { KitModule } from '../module.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { version } from '../version.ts'
import { createAuthenticate } from './authenticate.ts'
import { type AccessSeed, seedAccess } from './commands/seed-access.ts'
import { isPermission, isRoleCode } from './contract.ts'
import { identityPermissions } from './permissions.ts'
import type { AccessRules } from './policy.ts'
import { requireTrustedCodes } from './queries/require-trusted-codes.ts'
import { identityRoutes } from './routes.ts'
import type { Tokens } from './tokens.ts'

/** How users sign in, and which permissions roles can grant. */
export interface IdentityOptions {
  readonly database: Database
  /** Receives an event for each change of access. */
  readonly outbox: Outbox
  /** Authenticates requests: `oidcTokens(config.oidc, database.clock)`, or the application's own sessions. */
  readonly tokens: Tokens
  /** Codes of the application roles that have all permissions and are protected from change. */
  readonly administratorRoleCodes: readonly string[]
  /** The modules that register permissions. Roles can grant these, and those of identity and of the outbox. */
  readonly modules: readonly KitModule[]
}

/** The identity module: authentication, access rights, and the administration of users and roles. */
export interface Identity extends KitModule {
  readonly authenticate: MiddlewareHandler<KitEnv>
  /** The administrator role codes from the options, for modules that need them. */
  readonly administratorRoleCodes: readonly string[]
  /**
   * Creates the roles and users that a host starts with. Call it at every start, before serving. It creates missing records
   * and updates records that no person has changed. It never changes other records.
   * @throws {TypeError} naming every permission that is not registered, or every role of a user that does not exist
   */
  seedAccess(tx: Tx, seed: AccessSeed): Promise<void>
}

/**
 * Creates the identity module, which turns credentials into callers and serves `/api/security` to administer roles and
 * users.
 * @throws {TypeError} naming every invalid administrator role code, and every permission that is not
 *   `<resourceKind>.<resourceCode>.<action>`
 */
export function createIdentity(options: IdentityOptions): Identity {
  const { database, outbox, tokens } = options
  const modules = [...new Set<KitModule>([outbox, ...options.modules])]
  const administratorRoleCodes = new Set(options.administratorRoleCodes)
  const grantable = sortByPermission([
    ...identityPermissions,
    ...modules.flatMap(({ permissions = [] }) => permissions),
  ])
  const rules: AccessRules = {
    administratorRoleCodes,
    permissions: grantable.map((definition) => definition.permission),
  }
  checkRules(rules)
  return {
    name: '@vertical-kit/core-audit',
    version,
    router: identityRoutes({ database, outbox, rules, grantable }),
    permissions: identityPermissions,
    errors: [CoreError],
    migrations: coreMigrations,
    health: tokens.health ?? [],
    doctor: async () => (await tokens.doctor?.()) ?? [],
    gathers: { contribution: 'permissions', modules },
    checkStart: (db) => requireTrustedCodes(db, rules),
    authenticate: createAuthenticate({ database, tokens, administratorRoleCodes }),
    administratorRoleCodes: [...administratorRoleCodes],
    seedAccess(tx, seed) {
      tx.afterCommit(outbox.wake)
      return seedAccess(tx, rules, seed)
    },
  }
}

/** Rejects invalid codes. No role can have an invalid administrator code, so the code would silently protect nothing. */
function checkRules({ administratorRoleCodes, permissions }: AccessRules): void {
  const problems = [
    ...[...administratorRoleCodes]
      .filter((code) => !isRoleCode(code))
      .map((code) => `${code} is not a role code`),
    ...permissions.filter((code) => !isPermission(code)).map((code) => `${code} is not a permission`),
  ]
  if (problems.length > 0)
    throw new TypeError(`createIdentity cannot use these codes:\n${problems.join('\n')}`)
}

function sortByPermission(definitions: readonly PermissionDefinition[]): readonly PermissionDefinition[] {
  return definitions.toSorted((one, other) => (one.permission < other.permission ? -1 : 1))
}
