import { createHash } from 'node:crypto'
import type { IdentityProvider } from '@vertical-kit/dev-services'
import { beforeAll, expect, test } from 'vitest'
import { authorizationRequest, createBrowser, startForTest } from './harness.ts'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await startForTest()
  return () => provider.close()
})

async function openForm(changes: Record<string, string> = {}) {
  const browser = createBrowser(provider.issuer)
  return { browser, form: await browser.visit(authorizationRequest(provider, changes).url) }
}

test('the sign-in form labels its fields and shows the client, but no list of users', async () => {
  const { form } = await openForm()
  const html = await form.response.text()
  expect(html).toContain('<html lang="en">')
  expect(html).toMatch(/<label for="username">[\s\S]*<input id="username"/)
  expect(html).toMatch(/<label for="password">[\s\S]*<input id="password" name="password" type="password"/)
  expect(html).toContain('demo-page')
  expect(html).not.toContain('role="alert"')
  expect(html).not.toContain('clerk')
})

test('the content security policy of the form allows only its own style and the page as target', async () => {
  const { form } = await openForm()
  const policy = form.response.headers.get('content-security-policy')
  const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(await form.response.text()) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(policy).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self' http://127.0.0.1:8080; ` +
      "frame-ancestors 'none'; base-uri 'none'",
  )
  expect(form.response.headers.get('cache-control')).toBe('no-store')
})

test.each([
  { username: 'clerk', password: 'wrong' },
  { username: 'nobody', password: 'demo' },
  { username: 'clerk' },
])('the form shows the same message for a wrong name and a wrong password (%j)', async (input) => {
  const { browser, form } = await openForm()
  const { response } = await browser.visit(form.url, input)
  expect(response.status).toBe(401)
  const html = await response.text()
  expect(html).toContain('<p id="message" role="alert">The user name or the password is wrong.</p>')
  expect(html).toContain('aria-describedby="message"')
  expect(html).toContain(`value="${input.username}"`)
})

test('the form escapes a rejected name', async () => {
  const { browser, form } = await openForm()
  const { response } = await browser.visit(form.url, {
    username: '"><script>alert(1)</script>',
    password: 'x',
  })
  const html = await response.text()
  expect(html).not.toContain('<script')
  expect(html).toContain('value="&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;"')
})

test('the form contains the login hint of the page as user name', async () => {
  const { form } = await openForm({ login_hint: 'clerk' })
  expect(await form.response.text()).toContain('value="clerk"')
})

test('the provider rejects a submission of an unknown form and of a form from another browser', async () => {
  const { browser, form } = await openForm()
  browser.forgetCookies()
  for (const url of [form.url, `${provider.issuer}/sign-in/unknown`]) {
    const { response } = await browser.visit(url, { username: 'clerk', password: 'demo' })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('This sign-in is unknown or has expired.')
  }
})

test('the page of an expired sign-in links to the application, and to no other address', async () => {
  const { browser, form } = await openForm()
  browser.forgetCookies()
  const linkOn = async (url: string) => {
    const html = await (await browser.visit(url)).response.text()
    return /<a href="(.*?)">Go back to the application<\/a>/.exec(html)?.[1]
  }
  expect(await linkOn(form.url)).toBe('http://127.0.0.1:8080/')
  for (const other of ['http://evil.example', 'http://127.0.0.1:9090', 'javascript:alert(1)', '', '"><b>']) {
    const query = new URLSearchParams({ application: other })
    expect(await linkOn(`${provider.issuer}/sign-in/unknown?${query}`)).toBeUndefined()
  }
})

test('the provider rejects a form that is too large', async () => {
  const { browser, form } = await openForm()
  const { response } = await browser.visit(form.url, { username: 'clerk', password: 'x'.repeat(5000) })
  expect(response.status).toBe(413)
  expect(await response.text()).toContain('the form is too large')
})
