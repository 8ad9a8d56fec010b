import type { RequestListener } from 'node:http'
import { Provider } from 'oidc-provider'
import { type ProviderSettings, providerConfiguration } from './configuration.ts'
import { registerPasswordGrant } from './password-grant.ts'
import { createSignIn } from './sign-in.ts'

/** Answers everything below the issuer: the protocol by oidc-provider, the sign-in page by ourselves. */
export function createRequestHandler(
  issuer: string,
  settings: ProviderSettings,
  log: (line: string) => void,
): RequestListener {
  const provider = new Provider(issuer, providerConfiguration(settings))
  registerPasswordGrant(provider, settings)
  const report = (error: unknown) =>
    log(error instanceof Error ? (error.stack ?? error.message) : String(error))
  provider.on('server_error', (_ctx, error) => report(error))

  const answer = provider.callback()
  const signIn = createSignIn(provider, settings.accounts)
  const { host } = new URL(issuer)
  return (request, response) => {
    // Another name for this address is no issuer of these tokens, and may be a foreign page's (DNS rebinding).
    if (request.headers.host !== host) {
      response.writeHead(421, { 'content-type': 'text/plain' }).end(`This is ${issuer}.\n`)
      return
    }
    const handler = request.url?.startsWith('/sign-in/') ? signIn : answer
    handler(request, response).catch((error: unknown) => {
      report(error)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  }
}
