import type { PageClient } from '@vertical-kit/dev-services'
import { signedInPath } from './signed-in-path.ts'

/**
 * The page as a client of the embedded identity provider. Any port is allowed, for replicas; only loopback hosts are
 * allowed, because the provider listens there.
 */
export const demoPageClient: PageClient = {
  clientId: 'demo-page',
  redirectUris: [`http://127.0.0.1${signedInPath}`, `http://localhost${signedInPath}`],
  loopbackPort: 'any',
}
