/**
 * What the page may do: run and look like its own files, and talk to its host (over WebSockets too, which `'self'`
 * includes: CSP 3 §6.7.2.8), to the identity provider and to the object store, which downloads come from in frames that
 * nobody sees. What was not foreseen here is refused,
 * inline scripts and styles among it; and only Lit, which has a policy of that name, makes markup of text.
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
