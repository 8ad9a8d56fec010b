import type { PageClient } from '@vertical-kit/dev-services'
import { signedInPath } from './signed-in-path.ts'

/**
 * Registers the page as a client of the embedded identity provider. Redirects to any port are allowed, because replicas
 * have different ports. Redirects to other hosts are refused, because the provider accepts only local connections.
 */
export const demoPageClient: PageClient = {
  clientId: 'demo-page',
  redirectUris: [`http://127.0.0.1${signedInPath}`, `http://localhost${signedInPath}`],
  loopbackPort: 'any',
}
