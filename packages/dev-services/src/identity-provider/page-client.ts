/** An application that sends its users to the sign-in page: public, authorization code with PKCE. */
export interface PageClient {
  readonly clientId: string
  readonly redirectUris: readonly string[]
  /**
   * `any` takes loopback redirect URIs on every port (RFC 8252 §7.3), for pages whose port is not known
   * beforehand. Default `exact`.
   */
  readonly loopbackPort?: 'exact' | 'any'
}

/**
 * Refuses what cannot be a page's redirect URI; oidc-provider would say so at the first sign-in only.
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

/** Whether `origin` is where a page of this client is served from: the origin of one of its redirect URIs. */
export function isPageOrigin(page: PageClient | undefined, origin: string): boolean {
  const asked = URL.parse(origin)
  if (!page || !asked) return false
  return page.redirectUris.some((uri) => {
    const own = new URL(uri)
    if (page.loopbackPort !== 'any') return own.origin === asked.origin
    return own.protocol === asked.protocol && own.hostname === asked.hostname
  })
}
