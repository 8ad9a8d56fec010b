import { isPageOrigin, type PageClient } from './page-client.ts'

/** Returns the path of a sign-in. It names the application, because the provider forgets a sign-in that has expired. */
export const signInPath = (uid: string, redirectUri: string): string =>
  `/sign-in/${uid}?${new URLSearchParams({ application: URL.parse(redirectUri)?.origin ?? '' })}`

/** Returns the address of the application that a path of {@link signInPath} names, or null if it is not one of the pages. */
export function applicationOf(path: string, pages: readonly PageClient[]): string | null {
  const named = URL.parse(path, 'http://localhost')?.searchParams.get('application') ?? ''
  const application = URL.parse(named)
  const isKnown = application !== null && pages.some((page) => isPageOrigin(page, application.origin))
  return isKnown ? `${application.origin}/` : null
}
