import { afterAll, beforeAll, expect } from 'vitest'
import {
  expectNoSeriousViolations,
  openStage,
  type Stage,
  screenshot,
  signIn,
  submitPassword,
  test,
  tolerate,
} from './harness.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('the door names everybody who can sign in', async () => {
  const page = await stage.open()
  await expect.poll(() => page.locator('[data-user]').count()).toBe(9)
  await expectNoSeriousViolations(page)
  await screenshot(page, 'door')
})

test('a user who signs in comes back to the address they asked for, and stays signed in', async () => {
  const page = await stage.signIn('clerk', '/sales-orders')
  expect(new URL(page.url()).pathname).toBe('/sales-orders')
  expect(await page.getByText('Clara Clerk').first().isVisible()).toBe(true)
  await page.reload()
  await page.locator('demo-frame').waitFor()
  const otherTab = await page.context().newPage()
  await otherTab.goto(stage.demo.url)
  await otherTab.locator('demo-frame').waitFor()
})

test('a wrong password is told, and another try signs in', async () => {
  const page = await stage.open()
  tolerate(page, /401 \(Unauthorized\)/)
  await page.locator('[data-user="clerk"]').click()
  await submitPassword(page, 'wrong')
  expect(await page.getByRole('alert').textContent()).toBe('The user name or the password is wrong.')
  await submitPassword(page, 'demo')
  await page.locator('demo-frame').waitFor()
})

test('signing out ends it in every tab, and the next user is asked for a password', async () => {
  const page = await stage.signIn('clerk')
  const otherTab = await page.context().newPage()
  await otherTab.goto(stage.demo.url)
  await otherTab.locator('demo-frame').waitFor()
  await signOut(page)
  await page.locator('[data-user="viewer"]').waitFor()
  await otherTab.locator('[data-user="viewer"]').waitFor()
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('oidc.user'))),
  ).toEqual([])
  await signIn(page, 'viewer')
  expect(await page.getByText('Vera Viewer').first().isVisible()).toBe(true)
})

test('who is deactivated is told so, and can sign out', async () => {
  const page = await stage.open()
  tolerate(page, /403 \(Forbidden\)/)
  await page.locator('[data-user="inactive"]').click()
  await submitPassword(page, 'demo')
  await page.getByRole('heading', { name: 'Your account is deactivated' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.locator('[data-user="clerk"]').waitFor()
})

async function signOut(page: Awaited<ReturnType<Stage['open']>>): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
}
