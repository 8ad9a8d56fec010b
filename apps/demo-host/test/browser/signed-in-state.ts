import { createHash, randomBytes } from 'node:crypto'
import { type BrowserContextOptions, request } from 'playwright-core'
import { demoPageClient } from '../../src/page/page-client.ts'
import { signedInPath } from '../../src/page/signed-in-path.ts'
import type { OpenDemo } from '../demo-process.ts'

type StorageState = Exclude<NonNullable<BrowserContextOptions['storageState']>, string>

/**
 * Signs a user in at the identity provider over HTTP, as the page does in the browser. Returns the cookies of the provider and the
 * tokens as `oidc-client-ts` keeps them in local storage, for a new browser context. That saves the loads of three pages.
 */
export async function signedInState({ issuer, url }: OpenDemo, name: string): Promise<StorageState> {
  const client_id = demoPageClient.clientId
  const redirect_uri = url + signedInPath
  const code_verifier = randomBytes(32).toString('base64url')
  const question = new URLSearchParams({
    ...{ client_id, redirect_uri, response_type: 'code', prompt: 'login', code_challenge_method: 'S256' },
    scope: 'openid profile email offline_access',
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
  })
  const browser = await request.newContext()
  try {
    const form = await browser.get(`${issuer}/auth?${question}`)
    const signedIn = await browser.post(form.url(), { form: { username: name, password: 'demo' } })
    const code = new URL(signedIn.url()).searchParams.get('code') ?? ''
    const answer = await browser.post(`${issuer}/token`, {
      form: { client_id, redirect_uri, code, code_verifier, grant_type: 'authorization_code' },
    })
    if (!answer.ok()) throw new Error(`${name} could not sign in: ${signedIn.url()}, ${await answer.text()}`)
    const { expires_in, ...tokens } = (await answer.json()) as { expires_in: number; id_token: string }
    const [, claims = ''] = tokens.id_token.split('.')
    const user = {
      ...tokens,
      expires_at: Math.floor(Date.now() / 1_000) + expires_in,
      profile: JSON.parse(Buffer.from(claims, 'base64url').toString()),
    }
    const { cookies } = await browser.storageState()
    const stored = { name: `oidc.user:${issuer}:${client_id}`, value: JSON.stringify(user) }
    return { cookies, origins: [{ origin: url, localStorage: [stored] }] }
  } finally {
    await browser.dispose()
  }
}
