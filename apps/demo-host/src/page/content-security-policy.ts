/**
 * Returns the content security policy of the page. The policy allows scripts, styles and images of the page's own origin,
 * and connections to the host, the identity provider and the object store. `'self'` includes WebSockets (CSP 3 §6.7.2.8).
 * The store is also allowed in frames, because hidden frames load the downloads. The policy blocks everything else, for
 * example inline scripts. Only Lit can turn text into markup, through its Trusted Types policy `lit-html`.
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
