/**
 * What the page may do: run and look like its own files, and talk to its host (over WebSockets too, which `'self'`
 * includes: CSP 3 §6.7.2.8), to the identity provider and to the object store. What was not foreseen here is refused,
 * inline scripts and styles among it; and only Lit, which has a policy of that name, makes markup of text.
 */
export function contentSecurityPolicy(addresses: readonly string[]): string {
  const origins = [...new Set(addresses.map((address) => new URL(address).origin))]
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ${origins.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ')
}
