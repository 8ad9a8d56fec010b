/** The headers that identify the page that sent a request, and the host it was sent to. */
export interface RequestOrigin {
  /** Absent if the client is not a browser. */
  readonly origin: string | undefined
  readonly host: string | undefined
}

/**
 * Returns whether a page may use the hub: a page of the same host, or of an origin that the deployment allows. Also allows
 * clients without an origin, because they are not pages.
 *
 * Never allows the origin `null`, which sandboxed and local pages send: any attacker can create such a page.
 */
export function isAllowedOrigin(
  { origin, host }: RequestOrigin,
  allowedOrigins: ReadonlySet<string>,
): boolean {
  if (origin === undefined) return true
  const parsed = toOrigin(origin)
  if (parsed === undefined) return false
  if (allowedOrigins.has(parsed.origin)) return true
  // Parsed with the page's scheme, so a default port is removed on both sides.
  return host !== undefined && URL.parse(`${parsed.protocol}//${host}`)?.host === parsed.host
}

/** Parses an `http` or `https` origin; returns `undefined` for a text with a path, user or query. */
export function toOrigin(text: string): URL | undefined {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined
  return text.toLowerCase() === url.origin || text.toLowerCase() === withPort(url) ? url : undefined
}

/** Returns the origin with its default port: configurations may contain it, although browsers omit it. */
function withPort(url: URL): string {
  return `${url.origin}:${url.protocol === 'https:' ? 443 : 80}`
}
