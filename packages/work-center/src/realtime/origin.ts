/** What a browser says about the page a request comes from, and about where it goes. */
export interface RequestOrigin {
  /** Absent where the client is no browser. */
  readonly origin: string | undefined
  readonly host: string | undefined
}

/**
 * Whether a page may use the hub: one of the same host, or one the deployment allows. A client that names no origin is
 * no page.
 *
 * `null`, what a sandboxed or local page sends, is never allowed: anybody can make one.
 */
export function isAllowedOrigin(
  { origin, host }: RequestOrigin,
  allowedOrigins: ReadonlySet<string>,
): boolean {
  if (origin === undefined) return true
  const parsed = toOrigin(origin)
  if (parsed === undefined) return false
  if (allowedOrigins.has(parsed.origin)) return true
  // Parsed with the page's scheme, so that a default port is none on either side.
  return host !== undefined && URL.parse(`${parsed.protocol}//${host}`)?.host === parsed.host
}

/** An `http` or `https` origin and nothing else: no path, no user, no query. */
export function toOrigin(text: string): URL | undefined {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined
  return text.toLowerCase() === url.origin || text.toLowerCase() === withPort(url) ? url : undefined
}

/** A default port that is spelt out is the same origin, though no browser writes it. */
function withPort(url: URL): string {
  return `${url.origin}:${url.protocol === 'https:' ? 443 : 80}`
}
