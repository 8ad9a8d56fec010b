/** A public client that uses the sign-in page: authorization code with PKCE. */
export interface PageClient {
  readonly clientId: string
  readonly redirectUris: readonly string[]
  /**
   * `any` accepts loopback redirect URIs with any port (RFC 8252 §7.3). Use it for pages on a random port.
   * Default `exact`.
   */
  readonly loopbackPort?: 'exact' | 'any'
}

/**
 * Rejects invalid redirect URIs at startup. Without this check, oidc-provider would reject them at the first sign-in.
 *
 * @throws TypeError naming the option
 */
export function checkRedirectUris(pages: readonly PageClient[]): void {
  for (const { clientId, redirectUris } of pages) {
    for (const uri of redirectUris) {
      const parsed = URL.parse(uri)
      if (parsed && /^https?:$/.test(parsed.protocol) && !uri.includes('#')) continue
      throw new TypeError(
        `pages: redirectUris of ${clientId}: "${uri}" is not an http(s) URL without a fragment`,
      )
    }
  }
}

/** Returns whether `origin` is the origin of one of the client's redirect URIs. */
export function isPageOrigin(page: PageClient | undefined, origin: string): boolean {
  const requested = URL.parse(origin)
  if (!page || !requested) return false
  return page.redirectUris.some((uri) => {
    const own = new URL(uri)
    if (page.loopbackPort !== 'any') return own.origin === requested.origin
    return own.protocol === requested.protocol && own.hostname === requested.hostname
  })
}
