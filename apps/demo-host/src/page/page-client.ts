import type { PageClient } from '@vertical-kit/dev-services'

/** Where the identity provider sends a browser back to; one of the page's own routes. */
export const signedInPath = '/signed-in'

/**
 * The page as the embedded identity provider knows it. On every port of this machine, so that replicas show it too;
 * on this machine alone, which is where that provider listens.
 */
export const demoPageClient: PageClient = {
  clientId: 'demo-page',
  redirectUris: [`http://127.0.0.1${signedInPath}`, `http://localhost${signedInPath}`],
  loopbackPort: 'any',
}
