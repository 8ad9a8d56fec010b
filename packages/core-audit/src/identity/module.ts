import type { MiddlewareHandler } from 'hono'
import type { Database, Tx } from '../database/database.ts'
import { CoreError } from '../errors.ts'
import type { KitEnv } from '../http/environment.ts'
import { coreMigrations } from '../migrations.ts'
import { type KitModule, type PermissionDefinition, releaseTrain } from '../module.ts'
import {
  authenticate,
  createIdentifyCaller,
  createReloadCaller,
  type IdentifyCaller,
  type ReloadCaller,
} from './authenticate.ts'
import { type AccessSeed, seedAccess } from './commands/seed-access.ts'
import type { OidcConfig } from './config.ts'
import { isRoleCode } from './contract.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { identityPermissions } from './permissions.ts'
import type { AccessRules } from './policy.ts'
import { identityRoutes } from './routes.ts'
import { createTokenVerifier } from './verify-token.ts'

export interface IdentityOptions {
  readonly database: Database
  readonly oidc: OidcConfig
  /** Codes of application roles that hold every permission and are protected from change. */
  readonly administratorRoleCodes: readonly string[]
  /** The modules whose permissions can be granted, besides identity's own. */
  readonly modules: readonly KitModule[]
  /**
   * Called after a commit that changed who may do what, and so may have appended events: `ring` of the bell of who handles
   * them. Does not throw.
   */
  readonly onEventsCommitted?: () => void
  /** The clock tokens expire by; `Date.now` when absent. */
  readonly now?: () => number
}

/** The identity module: who asks, what they may do, and the administration of both. */
export interface Identity extends KitModule {
  readonly authenticate: MiddlewareHandler<KitEnv>
  /** For what is not an HTTP request below `/api`, such as a socket. */
  readonly identify: IdentifyCaller
  /** For decisions that must hold under a lock, and for what outlives a request. */
  readonly reload: ReloadCaller
  /**
   * Makes the roles and users a host starts with; at every start, before serving. What is missing is made, what no
   * person has changed follows the seed, what a person has changed is left alone.
   * @throws {TypeError} naming every permission that is not registered, or every role of a user that does not exist
   */
  seedAccess(tx: Tx, seed: AccessSeed): Promise<void>
}

/**
 * OpenID Connect access tokens in, callers out; `/api/security` to administer roles and users.
 * @throws {TypeError} naming every administrator role's code that no role can have, and every permission that is not
 *   `<resourceKind>.<resourceCode>.<action>`
 */
export function createIdentity(options: IdentityOptions): Identity {
  const { database, oidc, onEventsCommitted = () => {}, now = Date.now } = options
  const administratorRoleCodes = new Set(options.administratorRoleCodes)
  const grantable = sortByPermission([
    ...identityPermissions,
    ...options.modules.flatMap((module) => module.permissions),
  ])
  const rules: AccessRules = {
    administratorRoleCodes,
    permissions: grantable.map((definition) => definition.permission),
  }
  checkRules(rules)
  const keys = createIssuerKeys({ issuer: oidc.issuer, now })
  const identify = createIdentifyCaller({
    database,
    verifyToken: createTokenVerifier({ oidc, keys, now }),
    administratorRole: oidc.administratorRole,
    administratorRoleCodes,
  })
  const reload = createReloadCaller(administratorRoleCodes)
  return {
    name: '@vertical-kit/core-audit',
    version: releaseTrain,
    router: identityRoutes({ database, rules, grantable, onEventsCommitted }),
    permissions: identityPermissions,
    errors: [CoreError],
    migrations: coreMigrations,
    health: [
      {
        name: 'identityProvider',
        async check() {
          await keys.reach()
          return { status: 'Healthy' }
        },
      },
    ],
    authenticate: authenticate({ database, identify, reload }),
    identify,
    reload,
    seedAccess: (tx, seed) => seedAccess(tx, rules, seed),
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
  if (problems.length > 0) throw new TypeError(`Identity cannot go by these:\n${problems.join('\n')}`)
}

const isPermission = (text: string): boolean => /^(system|catalog|document)(\.[a-z0-9_]+){2,}$/.test(text)

function sortByPermission(definitions: readonly PermissionDefinition[]): readonly PermissionDefinition[] {
  return definitions.toSorted((one, other) => (one.permission < other.permission ? -1 : 1))
}
