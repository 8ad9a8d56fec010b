import { createServer, type Server } from 'node:http'
import { createAccounts, type IdentityUser } from './accounts.ts'
import type { ProviderSettings } from './configuration.ts'
import { checkRedirectUris, type PageClient } from './page-client.ts'
import { createSigningKey, loadSigningKey, privateJwk, type SigningKey } from './signing-key.ts'

/** The users and clients of the provider, and the claims of its tokens. The provider listens on 127.0.0.1. */
export interface IdentityProviderOptions {
  /** The port. Default: 0, which selects a free port. */
  readonly port?: number
  /** The exact `aud` claim of every access token. */
  readonly audience: string
  /** The users by sign-in name. */
  readonly users: Readonly<Record<string, IdentityUser>>
  readonly pages?: readonly PageClient[]
  /** The ids of clients that can use the password grant. */
  readonly scriptClientIds?: readonly string[]
  /** The lifetime of access tokens. Default 3600. */
  readonly accessTokenLifetimeSeconds?: number
  /** The folder of the signing key; it keeps tokens valid after a restart. By default, every start creates a new key. */
  readonly directory?: string
  /** Receives one message for every internal error of the provider. */
  readonly log?: (line: string) => void
}

/** A running OpenID provider on 127.0.0.1. */
export interface IdentityProvider {
  readonly issuer: string
  readonly audience: string
  /** The key for `signTestToken`. `<issuer>/jwks` publishes its public part. */
  readonly signingKey: SigningKey
  /** Stops listening and drops open connections. Sessions and refresh tokens are lost. */
  close(): Promise<void>
}

/**
 * Starts an OpenID provider for the given users. It supports discovery, authorization code with PKCE through a sign-in
 * page, and the password grant for scripts. Access tokens are JWTs signed with RS256 (`typ` `at+jwt`). They contain the
 * claims `sub` (the sign-in name), `email`, `name` and `roles`.
 *
 * @throws TypeError for an invalid redirect URI; Error if the port is in use
 */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const { audience, directory, pages = [] } = options
  checkRedirectUris(pages)
  const signingKey = await (directory === undefined ? createSigningKey() : loadSigningKey(directory))
  const settings: ProviderSettings = {
    audience,
    signingJwk: await privateJwk(signingKey),
    accounts: createAccounts(options.users),
    pages,
    scriptClientIds: options.scriptClientIds ?? [],
    accessTokenLifetimeSeconds: options.accessTokenLifetimeSeconds ?? 3600,
  }
  // Import lazily: oidc-provider is large, and most tests use only the database of this package.
  const { createRequestHandler } = await import('./request-handler.ts')
  const server = createServer()
  const issuer = `http://127.0.0.1:${await listen(server, options.port ?? 0)}`
  server.on('request', createRequestHandler(issuer, settings, options.log ?? (() => {})))
  return { issuer, audience, signingKey, close: () => close(server) }
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no address.')
  return address.port
}
