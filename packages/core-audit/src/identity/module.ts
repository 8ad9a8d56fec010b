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
import { isRoleCode } from './contract.ts'
import { identityPermissions } from './permissions.ts'
import type { AccessRules } from './policy.ts'
import { identityRoutes } from './routes.ts'
import type { Tokens } from './tokens.ts'

export interface IdentityOptions {
  readonly database: Database
  /** Receives the event of each change of access. */
  readonly outbox: Outbox
  /** How requests prove who sends them: `oidcTokens(config.oidc)`, or the application's own sessions. */
  readonly tokens: Tokens
  /** Codes of application roles that hold every permission and are protected from change. */
  readonly administratorRoleCodes: readonly string[]
  /** The modules whose permissions can be granted, besides identity's own. */
  readonly modules: readonly KitModule[]
}

/** The identity module: who asks, what they may do, and the administration of both. */
export interface Identity extends KitModule {
  readonly authenticate: MiddlewareHandler<KitEnv>
  /** As the options have them: what else decides by them takes them from here. */
  readonly administratorRoleCodes: readonly string[]
  /**
   * Makes the roles and users a host starts with; at every start, before serving. What is missing is made, what no
   * person has changed follows the seed, what a person has changed is left alone.
   * @throws {TypeError} naming every permission that is not registered, or every role of a user that does not exist
   */
  seedAccess(tx: Tx, seed: AccessSeed): Promise<void>
}

/**
 * Credentials in, callers out; `/api/security` to administer roles and users.
 * @throws {TypeError} naming every administrator role's code that no role can have, and every permission that is not
 *   `<resourceKind>.<resourceCode>.<action>`
 */
export function createIdentity(options: IdentityOptions): Identity {
  const { database, outbox, tokens, modules } = options
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
    gathers: { contribution: 'permissions', modules },
    authenticate: createAuthenticate({ database, tokens, administratorRoleCodes }),
    administratorRoleCodes: [...administratorRoleCodes],
    seedAccess(tx, seed) {
      tx.afterCommit(outbox.wake)
      return seedAccess(tx, rules, seed)
    },
  }
}

/** A code that no role can have would protect nothing, and nobody would notice. */
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

const isPermission = (text: string): boolean => /^(system|catalog|document)(\.[a-z0-9_]+){2,}$/.test(text)

function sortByPermission(definitions: readonly PermissionDefinition[]): readonly PermissionDefinition[] {
  return definitions.toSorted((one, other) => (one.permission < other.permission ? -1 : 1))
}
