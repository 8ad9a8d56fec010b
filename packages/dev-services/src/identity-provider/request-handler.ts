import type { RequestListener } from 'node:http'
import { Provider } from 'oidc-provider'
import { type ProviderSettings, providerConfiguration } from './configuration.ts'
import { registerPasswordGrant } from './password-grant.ts'
import { createSignIn } from './sign-in.ts'

/** Handles all requests of the issuer: oidc-provider serves the protocol, and our code serves the sign-in page. */
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
  const signIn = createSignIn(provider, settings)
  const { host } = new URL(issuer)
  return (request, response) => {
    // Reject all host names except the issuer's. A foreign page could send another name by DNS rebinding.
    if (request.headers.host !== host) {
      response.writeHead(421, { 'content-type': 'text/plain' }).end(`Use ${issuer} instead.\n`)
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
