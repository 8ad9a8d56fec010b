import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type Provider } from 'oidc-provider'
import type { Accounts } from './accounts.ts'
import type { PageClient } from './page-client.ts'
import { errorPage, type Page, pageHeaders, signInPage } from './sign-in-page.ts'
import { applicationOf } from './sign-in-path.ts'

const maxFormBytes = 4096

/** Handles `/sign-in/…`: shows the form. After a correct name and password, redirects to the provider. */
export function createSignIn(
  provider: Provider,
  { accounts, pages }: { readonly accounts: Accounts; readonly pages: readonly PageClient[] },
) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await continueSignIn(request, response)
    } catch (error) {
      if (!(error instanceof errors.OIDCProviderError)) throw error
      const isUnknown = error instanceof errors.SessionNotFound
      const message = isUnknown ? 'This sign-in is unknown or has expired.' : error.error_description
      const application = applicationOf(request.url ?? '', pages)
      send(response, error.statusCode, errorPage(message ?? error.message, application))
    }
  }

  async function continueSignIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params, prompt } = await provider.interactionDetails(request, response)
    // The only other prompt is consent. Clients can request it, and the provider always grants it.
    if (prompt.name !== 'login') return provider.interactionFinished(request, response, { consent: {} })

    const form = request.method === 'POST' ? await readForm(request) : undefined
    const username = form?.get('username') ?? String(params['login_hint'] ?? '')
    if (form && accounts.isPassword(username, form.get('password') ?? '')) {
      return provider.interactionFinished(request, response, { login: { accountId: username } })
    }
    const page = signInPage({
      clientId: String(params['client_id']),
      redirectUri: String(params['redirect_uri']),
      username,
      message: form && 'The user name or the password is wrong.',
    })
    send(response, form ? 401 : 200, page)
  }
}

function send(response: ServerResponse, status: number, page: Page): void {
  response.writeHead(status, pageHeaders(page)).end(page.html)
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxFormBytes) throw new errors.InvalidRequest('the form is too large', 413)
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
