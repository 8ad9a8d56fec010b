/**
 * Returns the policy of the page. It allows the page's own scripts, styles and images, and connections to its host
 * (`'self'` includes WebSockets: CSP 3 §6.7.2.8), the identity provider and the object store. Downloads load from the store
 * in hidden frames. Everything else is blocked, including inline scripts and styles. Only Lit, through its Trusted Types
 * policy `lit-html`, can turn text into markup.
 */
export function contentSecurityPolicy(issuer: string, objectStore: string | undefined): string {
  const stores = objectStore === undefined ? [] : [new URL(objectStore).origin]
  const origins = [...new Set([new URL(issuer).origin, ...stores])]
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${origins.join(' ')}`,
    `frame-src ${stores[0] ?? "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ')
}
