import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import {
  expectNoSeriousViolations,
  screenshot,
  signIn,
  signOut,
  stageOfFile,
  submitPassword,
  test,
  tolerate,
} from './harness.ts'

const stage = stageOfFile()

test('the sign-in page lists all users of the demo', async () => {
  const page = await stage.open()
  await expect.poll(() => page.locator('[data-user]').count()).toBe(9)
  await expectNoSeriousViolations(page)
  await screenshot(page, 'door')
})

test('after sign-in, users return to the requested address and stay signed in', async () => {
  const page = await stage.signIn('clerk', '/sales-orders')
  expect(new URL(page.url()).pathname).toBe('/sales-orders')
  expect(await page.getByText('Clara Clerk').first().isVisible()).toBe(true)
  await page.reload()
  await page.locator('demo-frame').waitFor()
  const otherTab = await page.context().newPage()
  await otherTab.goto(stage.demo.url)
  await otherTab.locator('demo-frame').waitFor()
})

test('a wrong password causes an error message, and a second attempt with the correct password succeeds', async () => {
  const page = await stage.open()
  tolerate(page, /401 \(Unauthorized\)/)
  await page.locator('[data-user="clerk"]').click()
  await submitPassword(page, 'wrong')
  expect(await page.getByRole('alert').textContent()).toBe('The user name or the password is wrong.')
  await submitPassword(page, 'demo')
  await page.locator('demo-frame').waitFor()
})

test('signing out ends the session in all tabs, and the next user must enter a password', async () => {
  const page = await stage.signIn('clerk')
  const otherTab = await page.context().newPage()
  await otherTab.goto(stage.demo.url)
  await otherTab.locator('demo-frame').waitFor()
  await signOut(page)
  await otherTab.locator('[data-user="viewer"]').waitFor()
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('oidc.user'))),
  ).toEqual([])
  await signIn(page, 'viewer')
  expect(await page.getByText('Vera Viewer').first().isVisible()).toBe(true)
  await otherTab.getByText('Vera Viewer').first().waitFor()
})

test('signing out does not wait for an identity provider that never responds', async () => {
  const page = await stage.signIn('clerk')
  await page.route(`${stage.demo.issuer}/**`, () => {})
  await signOut(page)
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('oidc.user'))),
  ).toEqual([])
})

/** Lets the page renew its token, and holds the answer until the returned function is called. */
async function holdRenewal(page: Page): Promise<() => void> {
  tolerate(page, /401 \(Unauthorized\)/)
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route(`${stage.demo.issuer}/token`, async (route) => {
    const response = await route.fetch()
    asked.resolve()
    await answer.promise
    await route.fulfill({ response })
  })
  await page.route('**/api/catalogs/**', (route) => route.fulfill({ status: 401 }))
  await page.getByRole('link', { name: 'Items' }).click()
  await asked.promise
  return answer.resolve
}

test('a renewal that is answered after the sign-out signs nobody in', async () => {
  const page = await stage.signIn('clerk', '/customers')
  const answer = await holdRenewal(page)
  await signOut(page)
  const revoked = page.waitForRequest(/revocation/)
  answer()
  await revoked
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('oidc.user'))),
  ).toEqual([])
})

test('a renewal that is answered during the sign-in of the next user does not end it', async () => {
  const page = await stage.signIn('clerk', '/customers')
  const answer = await holdRenewal(page)
  const otherTab = await page.context().newPage()
  await otherTab.goto(stage.demo.url)
  await signOut(otherTab)
  const waitingCount = () =>
    otherTab.evaluate(async () => (await navigator.locks.query()).pending?.length ?? 0)
  const waitingBefore = await waitingCount()
  await otherTab.locator('[data-user="viewer"]').click()
  const returned = otherTab.waitForURL(/signed-in/, { waitUntil: 'commit' })
  await submitPassword(otherTab, 'demo')
  await returned
  const isWaiting = async () => (await waitingCount()) > waitingBefore
  await expect.poll(async () => (await isWaiting()) || otherTab.locator('demo-frame').isVisible()).toBe(true)
  const revoked = page.waitForRequest(/revocation/)
  answer()
  await revoked
  // The sign-in page also shows the name.
  const named = (tab: Page) => tab.locator('demo-frame').getByText('Vera Viewer').first().waitFor()
  await named(otherTab)
  await otherTab.reload()
  await named(otherTab)
  await named(page)
})

test('if a sign-in response does not belong to a request, the sign-in page shows a message', async () => {
  const page = await stage.open('/signed-in?code=made-up&state=made-up')
  expect(await page.getByRole('alert').textContent()).toContain('Sign-in was not completed.')
  expect(new URL(page.url()).pathname).toBe('/')
})

test('the content security policy blocks injected scripts and markup', async () => {
  const page = await stage.open()
  tolerate(
    page,
    /script-src-elem inline|Executing inline script|TrustedScript|TrustedHTML|HTMLScriptElement|trusted-types-sink/,
  )
  await page.evaluate(() => {
    const script = document.createElement('script')
    script.append('globalThis.isIn = true')
    document.body.append(script)
  })
  expect(await page.evaluate(() => 'isIn' in globalThis)).toBe(false)
  const markup = page.evaluate(() => {
    document.body.innerHTML = '<img src=x onerror=alert(1)>'
  })
  await expect(markup).rejects.toThrow(/TrustedHTML/)
})

test('deactivated users see a message and can sign out', async () => {
  const page = await stage.open()
  tolerate(page, /403 \(Forbidden\)/)
  await page.locator('[data-user="inactive"]').click()
  await submitPassword(page, 'demo')
  await page.getByRole('heading', { name: 'Your account has been deactivated' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.locator('[data-user="clerk"]').waitFor()
})

test('if the sign-in service cannot be reached, the page says so', async () => {
  const page = await stage.open()
  tolerate(page, /ERR_FAILED/)
  await page.route(`${stage.demo.issuer}/**`, (route) => route.abort())
  await page.locator('#sign-in').click()
  await expect
    .poll(() => page.getByRole('alert').textContent())
    .toBe('The sign-in service cannot be reached. Try again in a moment.')
  await page.unroute(`${stage.demo.issuer}/**`)
  await page.locator('[data-user="clerk"]').click()
  await submitPassword(page, 'demo')
  await page.locator('demo-frame').waitFor()
})

test('signing out asks before it deletes unsaved changes, and leaves none of other tabs behind', async () => {
  const page = await stage.signIn('clerk', '/items/new')
  const other = await page.context().newPage()
  await other.goto(`${stage.demo.url}/customers/new`)
  await other.getByLabel('Name').fill('Unsaved customer')
  const signOutButton = page.getByRole('button', { name: 'Sign out' })
  await page.locator('.user-button').click()
  await signOutButton.click()
  const question = page.getByRole('dialog', { name: 'Sign out?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await other.getByLabel('Name').inputValue()).toBe('Unsaved customer')

  await page.locator('.user-button').click()
  await signOutButton.click()
  await question.getByRole('button', { name: 'Sign out' }).click()
  for (const tab of [page, other]) await tab.locator('[data-user="viewer"]').waitFor()
  const kept = () => other.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('form/')))
  await expect.poll(kept).toEqual([])
})

test('a double click on the sign-out asks once, and keeps the unsaved changes of another tab', async () => {
  const page = await stage.signIn('clerk', '/items/new')
  const other = await page.context().newPage()
  await other.goto(`${stage.demo.url}/customers/new`)
  await other.getByLabel('Name').fill('Unsaved customer')
  await page.locator('.user-button').click()
  await page.clock.install()
  const signOutButton = page.getByRole('button', { name: 'Sign out' })
  // Both clicks are before the answer of the other tab.
  await signOutButton.evaluate((button: HTMLButtonElement) => {
    button.click()
    button.click()
  })
  const question = page.getByRole('dialog', { name: 'Sign out?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await question.count()).toBe(0)
  // Nothing waits for another answer.
  await page.clock.runFor(5_000)
  await page.locator('.user-button').click()
  await signOutButton.click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await other.getByLabel('Name').inputValue()).toBe('Unsaved customer')
})
