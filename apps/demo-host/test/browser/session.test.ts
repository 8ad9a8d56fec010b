import { expect } from 'vitest'
import { stageOfFile, test, tolerate } from './harness.ts'

// The lifetime is short, so the page must renew its token during the test.
const stage = stageOfFile({ DEMO_TOKEN_LIFETIME: '00:00:06' })

/** Chromium's report when the token of a socket expires between the negotiation and the upgrade. */
const expiredSocket = /hubs\/work-center.* failed: HTTP Authentication failed/

test('the page renews an expired token without any message to the user', async () => {
  const page = await stage.signIn('clerk', '/customers')
  tolerate(page, expiredSocket)
  let isRenewed = false
  page.on('request', (request) => {
    isRenewed ||= isRenewal(request.url(), request.postData())
  })
  // Open lists until the page has renewed its token.
  const names = ['Items', 'Customers', 'Payments', 'Sales orders', 'Sales invoices']
  for (let visits = 0; !isRenewed; visits += 1) {
    await page.getByRole('link', { name: names[visits % names.length] ?? '', exact: true }).click()
    await page.locator('.list-table tbody tr:not(.bone-row)').first().waitFor()
  }
  expect(await page.locator('[role=alert]').count()).toBe(0)
})

test('after the identity provider ends a session, the page shows the sign-in page with the reason', async () => {
  const page = await stage.signIn('clerk', '/customers')
  tolerate(page, /400 \(Bad Request\)|401 \(Unauthorized\)/)
  tolerate(page, expiredSocket)
  await page.route(`${stage.demo.issuer}/token`, (route) =>
    route.fulfill({
      status: 400,
      contentType: 'application/json',
      headers: { 'Access-Control-Allow-Origin': stage.demo.url },
      body: JSON.stringify({ error: 'invalid_grant' }),
    }),
  )
  await expect
    .poll(async () => {
      await page
        .getByRole('link', { name: 'Items', exact: true })
        .click({ timeout: 1_000 })
        .catch(() => {})
      await page
        .getByRole('link', { name: 'Customers', exact: true })
        .click({ timeout: 1_000 })
        .catch(() => {})
      return page
        .getByRole('alert')
        .first()
        .textContent({ timeout: 1_000 })
        .catch(() => null)
    })
    .toContain('Your session has ended')
})

const isRenewal = (url: string, body: string | null): boolean =>
  url === `${stage.demo.issuer}/token` &&
  new URLSearchParams(body ?? '').get('grant_type') === 'refresh_token'
