import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OpenDemo, openDemo } from './demo-process.ts'

let demo: OpenDemo

beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo?.close())

const get = (path: string, headers: Record<string, string> = {}) => fetch(demo.url + path, { headers })

const assetPaths = async () =>
  [...(await (await get('/')).text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
    ([, path = '']) => path,
  )

test.each(['/', '/sales-invoices', '/payments/new', '/customers/1', '/work-center', '/signed-in?code=1'])(
  'the response of %s is the page, with a policy that blocks inline content',
  async (path) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain(`connect-src 'self' ${demo.issuer} ${demo.objectStore};`)
    expect(policy).toContain(`frame-src ${demo.objectStore};`)
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
    expect(await response.text()).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/)
  },
)

test('a path that the page does not have returns status 404', async () => {
  for (const path of ['/nothing', '/sales-invoices/1/2', '/assets/nothing.js', '/assets/', '/index.html']) {
    expect((await get(path)).status).toBe(404)
  }
})

test('if a browser requests an unknown path, the response is the page with status 404', async () => {
  const asBrowser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const response = await get('/nothing', asBrowser)
  expect(response.status).toBe(404)
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await response.text()).toBe(await (await get('/')).text())
  for (const path of ['/api/nothing', '/assets/nothing.js']) {
    expect((await get(path, asBrowser)).headers.get('content-type')).toBe('application/problem+json')
  }
})

test('browsers cache assets permanently and revalidate the document', async () => {
  const paths = await assetPaths()
  expect(paths.length).toBeGreaterThanOrEqual(3)
  for (const path of paths) {
    const response = await get(path)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toMatch(
      /^(text\/(javascript|css); charset=utf-8|image\/svg\+xml)$/,
    )
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  }
  const etag = (await get('/')).headers.get('etag') ?? ''
  expect((await get('/', { 'If-None-Match': etag })).status).toBe(304)
})

test('pages and assets are compressed with gzip, and clients with a current copy receive status 304', async () => {
  for (const path of [
    '/',
    '/about',
    '/page-settings.json',
    '/docs',
    '/openapi.json',
    ...(await assetPaths()),
  ]) {
    // `fetch` requests gzip and decompresses the response automatically.
    const response = await get(path)
    const body = Buffer.from(await response.arrayBuffer())
    // Gzip would make the smallest assets larger.
    const smallest = gzipSync(body, { level: 9 }).length < body.length ? 'gzip' : null
    expect(response.headers.get('content-encoding')).toBe(smallest)
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    const etag = response.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect((await get(path, { 'If-None-Match': etag })).status).toBe(304)
    expect((await get(path, { 'Accept-Encoding': 'gzip;q=0' })).headers.get('content-encoding')).toBeNull()
  }
})

test('an unknown path returns 404 even if the client has a current copy of the page', async () => {
  const etag = (await get('/')).headers.get('etag') ?? ''
  expect((await get('/nothing', { Accept: 'text/html', 'If-None-Match': etag })).status).toBe(404)
})

test('the page settings contain the issuer, the client and the users of the demo', async () => {
  const response = await get('/page-settings.json')
  expect(await response.json()).toMatchObject({
    issuer: demo.issuer,
    clientId: 'demo-page',
    users: expect.arrayContaining([
      { name: 'viewer', displayName: 'Vera Viewer', roles: ['trade.viewer'], isActive: true },
    ]),
  })
})

test('the identity provider refuses redirects to addresses other than the sign-in path of the page', async () => {
  const ask = (redirectUri: string) => {
    const query = new URLSearchParams({
      client_id: 'demo-page',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    return fetch(`${demo.issuer}/auth?${query}`, { redirect: 'manual' })
  }
  expect((await ask(`${demo.url}/signed-in`)).status).toBe(303)
  for (const uri of [`${demo.url}/other`, 'http://evil.example/signed-in', 'https://127.0.0.1/signed-in']) {
    expect((await ask(uri)).status).toBe(400)
  }
})
