import type { ClientMetadata } from 'oidc-provider'
import type { PageClient } from './page-client.ts'

/** Builds the client registrations for pages and scripts. */
export function clientMetadata(
  pages: readonly PageClient[],
  scriptClientIds: readonly string[],
): ClientMetadata[] {
  return [
    ...pages.map(
      (page): ClientMetadata => ({
        client_id: page.clientId,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [...page.redirectUris],
        // oidc-provider ignores the port of loopback redirect URIs only for native applications.
        application_type: page.loopbackPort === 'any' ? 'native' : 'web',
      }),
    ),
    ...scriptClientIds.map(
      (clientId): ClientMetadata => ({
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        grant_types: ['password'],
        response_types: [],
        redirect_uris: [],
      }),
    ),
  ]
}
