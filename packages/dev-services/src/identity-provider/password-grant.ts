import { errors, type Provider } from 'oidc-provider'
import { type ProviderSettings, resource, resourceServer } from './configuration.ts'

/**
 * Lets scripts exchange a name and a password for an access token. OAuth 2.1 removed this grant because clients
 * see the password. It is acceptable here: the users are not real, and scripts have no browser.
 *
 * @see RFC 6749 §4.3
 */
export function registerPasswordGrant(provider: Provider, settings: ProviderSettings): void {
  provider.registerGrantType<{ username?: string; password?: string }>(
    'password',
    async (ctx) => {
      const { client, params } = ctx.oidc
      const { username, password } = params
      if (username === undefined || password === undefined) {
        throw new errors.InvalidRequest("missing required parameter(s) 'username', 'password'")
      }
      if (!settings.accounts.isPassword(username, password)) {
        throw new errors.InvalidGrant('unknown user or wrong password')
      }
      const grant = new provider.Grant({ clientId: client.clientId, accountId: username })
      const token = new provider.AccessToken({
        accountId: username,
        client,
        grantId: await grant.save(),
        gty: 'password',
        scope: '',
      })
      token.resourceServer = new provider.ResourceServer(resource, resourceServer(settings))
      ctx.body = {
        access_token: await token.save(),
        token_type: token.tokenType,
        expires_in: token.expiration,
      }
    },
    ['username', 'password', 'scope'],
  )
}
