/** The headers that identify the page that sent the request, and the host to which the request was sent. */
export interface RequestOrigin {
  /** Absent if the client is not a browser. */
  readonly origin: string | undefined
  readonly host: string | undefined
}

/**
 * Returns whether a page is allowed to use the hub. Allows pages of the same host, and pages of origins that the
 * deployment allows. Also allows clients without an origin, because they are not pages.
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
  // Parse the host with the page's scheme, so that a default port is removed from both values.
  return host !== undefined && URL.parse(`${parsed.protocol}//${host}`)?.host === parsed.host
}

/** Parses an `http` or `https` origin. Returns `undefined` for other texts, such as a URL with a path, user or query. */
export function toOrigin(text: string): URL | undefined {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined
  return text.toLowerCase() === url.origin || text.toLowerCase() === withPort(url) ? url : undefined
}

/** Returns the origin with its default port. Configurations can contain the default port, although browsers omit it. */
function withPort(url: URL): string {
  return `${url.origin}:${url.protocol === 'https:' ? 443 : 80}`
}
