import type { EnvironmentReader } from '../host/environment.ts'
import { isRoleCode } from './contract.ts'

/** An issuer of accepted access tokens, and the claims of its tokens that grant roles. */
export interface OidcIssuer {
  /** Exactly the text of `iss` in its tokens. */
  readonly issuer: string
  readonly audience: string
  /**
   * The claim with the roles or groups of the identity provider: a name, or a path such as `realm_access.roles`. At each
   * step, the longest name that exists is used. The value is an array of strings or one string.
   */
  readonly rolesClaim: string
  /** The identity provider's role that grants everything, with or without a user record; `null` if no role does. */
  readonly administratorRole: string | null
  /** For each group of this issuer, the code of the role that it grants. Other groups grant nothing. */
  readonly roleMap: ReadonlyMap<string, string>
}

/** The accepted access tokens: the first issuer, and further issuers by name. */
export interface OidcConfig extends OidcIssuer {
  /**
   * Further issuers. The subject of their users is `@<name>/<sub>`, so equal subjects of two issuers are different users.
   */
  readonly furtherIssuers: ReadonlyMap<string, OidcIssuer>
}

/** The names of further issuers. A name becomes part of stored subjects. */
const issuerName = /^[a-z0-9][a-z0-9-]{0,29}$/

/**
 * Reads `Oidc__Issuer` and `Oidc__Audience` (required), `Oidc__RolesClaim` (`roles`), `Oidc__AdministratorRole`
 * (`platform-admin`), `Oidc__RoleMap`, and the same keys of further issuers below `Oidc__Issuers__<name>__`. A further
 * issuer has no default administrator role.
 */
export function readOidcConfig(env: EnvironmentReader): OidcConfig {
  const first = readIssuer(env, 'Oidc', 'platform-admin')
  const furtherIssuers = readFurtherIssuers(env)
  const issuers = new Set([first.issuer])
  for (const [name, { issuer }] of furtherIssuers) {
    if (issuers.has(issuer) && issuer !== '') {
      env.problem(`Oidc__Issuers__${name}__Issuer`, 'is the same as another issuer')
    }
    issuers.add(issuer)
  }
  return { ...first, furtherIssuers }
}

function readIssuer(env: EnvironmentReader, section: string, standardAdministratorRole = ''): OidcIssuer {
  const issuer = env.required(`${section}__Issuer`)
  if (issuer !== '' && !isIssuer(issuer)) env.problem(`${section}__Issuer`, 'expected an http(s) address')
  const administratorRole = env.string(`${section}__AdministratorRole`, {
    default: standardAdministratorRole,
  })
  return {
    issuer,
    audience: env.required(`${section}__Audience`),
    rolesClaim: env.string(`${section}__RolesClaim`, { default: 'roles' }),
    administratorRole: administratorRole === '' ? null : administratorRole,
    roleMap: readRoleMap(env, `${section}__RoleMap`),
  }
}

function readFurtherIssuers(env: EnvironmentReader): ReadonlyMap<string, OidcIssuer> {
  const prefix = 'Oidc__Issuers__'
  const issuers = new Map<string, OidcIssuer>()
  for (const [key] of env.below(prefix)) {
    const [name = '', ...setting] = key.slice(prefix.length).split('__')
    if (
      !key.startsWith(prefix) ||
      !/^((Issuer|Audience|RolesClaim|AdministratorRole)(_FILE)?|RoleMap(__.+)?)$/.test(setting.join('__'))
    ) {
      env.problem(key, 'unknown key')
    } else if (!issuerName.test(name)) {
      env.problem(key, 'expected a name of at most 30 lower-case letters, digits and hyphens')
    } else if (!issuers.has(name)) {
      issuers.set(name, readIssuer(env, prefix + name))
    }
  }
  return issuers
}

/**
 * Reads `<key>__<group>=<roleCode>`, and `<key>` as a JSON object with the same content for groups whose names cannot be
 * part of a variable name.
 */
function readRoleMap(env: EnvironmentReader, key: string): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  const add = (where: string, group: string, roleCode: unknown) => {
    if (map.has(group)) env.problem(where, 'this group is already mapped')
    else if (typeof roleCode !== 'string' || !isRoleCode(roleCode)) env.problem(where, 'expected a role code')
    else map.set(group, roleCode)
  }
  for (const [group, roleCode] of Object.entries(readObject(env, key))) add(key, group, roleCode)
  for (const [variable, text] of env.below(`${key}__`)) {
    const group = variable.slice(key.length + 2)
    const roleCode = text.trim()
    if (!variable.startsWith(`${key}__`) || group === '') env.problem(variable, 'unknown key')
    else if (roleCode !== '') add(variable, group, roleCode)
  }
  return map
}

function readObject(env: EnvironmentReader, key: string): object {
  const text = env.string(key)
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The problem below covers both cases.
  }
  env.problem(key, 'expected a JSON object of groups and role codes')
  return {}
}

/**
 * Checks that an issuer has a scheme and a host but no query and no fragment (OpenID Connect Core 1.0 §2). Credentials in
 * an issuer are refused, because they would be logged.
 */
function isIssuer(text: string): boolean {
  const url = /^https?:\/\/[^\s?#]+$/.test(text) ? URL.parse(text) : null
  return url !== null && url.username === '' && url.password === ''
}
