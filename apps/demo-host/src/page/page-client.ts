import type { PageClient } from '@vertical-kit/dev-services'
import { signedInPath } from './signed-in-path.ts'

/**
 * The page as the embedded identity provider knows it. On every port of this machine, so that replicas show it too;
 * on this machine alone, which is where that provider listens.
 */
export const demoPageClient: PageClient = {
  clientId: 'demo-page',
  redirectUris: [`http://127.0.0.1${signedInPath}`, `http://localhost${signedInPath}`],
  loopbackPort: 'any',
}
