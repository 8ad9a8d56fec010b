import { createServer, type Server } from 'node:http'
import { createAccounts, type IdentityUser } from './accounts.ts'
import type { ProviderSettings } from './configuration.ts'
import { checkRedirectUris, type PageClient } from './page-client.ts'
import { createSigningKey, loadSigningKey, privateJwk, type SigningKey } from './signing-key.ts'

export interface IdentityProviderOptions {
  /** 0 or none: a free one. */
  readonly port?: number
  /** The claim `aud` of every access token, word for word. */
  readonly audience: string
  /** By sign-in name. */
  readonly users: Readonly<Record<string, IdentityUser>>
  readonly pages?: readonly PageClient[]
  /** Clients that may use the password grant. */
  readonly scriptClientIds?: readonly string[]
  /** Default 3600. */
  readonly accessTokenLifetimeSeconds?: number
  /** Where the signing key is kept, so that tokens outlive a restart. Without it the key is made anew. */
  readonly directory?: string
  /** Receives one line for every fault of the provider's own. */
  readonly log?: (line: string) => void
}

/** A running OpenID provider on 127.0.0.1. */
export interface IdentityProvider {
  readonly issuer: string
  readonly audience: string
  /** For `signTestToken`; the public half is at `<issuer>/jwks`. */
  readonly signingKey: SigningKey
  /** Stops listening and drops open connections. Sessions and refresh tokens are gone. */
  close(): Promise<void>
}

/**
 * Starts an OpenID provider with made-up users: discovery, authorization code with PKCE through a sign-in page,
 * and the password grant for scripts. Access tokens are JWTs signed with RS256 (`typ` `at+jwt`) whose claims are
 * `sub` (the sign-in name), `email`, `name` and `roles`.
 *
 * @throws TypeError for a redirect URI that cannot be one; Error when the port is taken
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
  // Loaded when it is needed: most tests import this package for its database alone, and oidc-provider is large.
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
