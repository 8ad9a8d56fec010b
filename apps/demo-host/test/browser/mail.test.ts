import { expect } from 'vitest'
import { act } from '../actions.ts'
import { postedInvoice, postedPayment } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()

test('a user switches mails on with the keyboard, chooses a daily mail, and both are kept', async () => {
  const page = await stage.signIn('viewer', '/preferences')
  const row = page.getByRole('group', { name: 'Invoice settled' })
  const mail = row.getByRole('switch', { name: 'By mail' })
  await mail.waitFor()
  expect(await mail.isChecked()).toBe(false)
  expect(await row.getByRole('switch', { name: 'Invoice settled' }).isChecked()).toBe(true)
  const saved = () => page.waitForResponse((response) => response.request().method() === 'PUT')
  const switched = saved()
  await mail.focus()
  await page.keyboard.press('Space')
  expect((await switched).status()).toBe(200)

  const delivery = page.getByRole('combobox', { name: 'When to send mails' })
  const daily = saved()
  await delivery.selectOption('Daily')
  expect((await daily).status()).toBe(200)
  const hour = page.getByRole('combobox', { name: 'Hour of the daily mail' })
  const at18 = saved()
  await hour.selectOption('18')
  expect((await at18).status()).toBe(200)

  // The field shows the choice before it is saved, so that the next key starts there.
  const letGo = Promise.withResolvers<void>()
  await page.route('**/api/me/mail-settings', async (route) => {
    await letGo.promise
    await route.continue()
  })
  await hour.selectOption('19')
  await page.locator('vk-preferences fieldset[aria-busy="true"]').waitFor()
  expect(await hour.inputValue()).toBe('19')
  await hour.selectOption('20')
  letGo.resolve()
  await page.locator('vk-preferences fieldset[aria-busy="true"]').waitFor({ state: 'detached' })
  expect(await hour.inputValue()).toBe('20')

  await page.reload()
  await mail.waitFor()
  expect(await mail.isChecked()).toBe(true)
  await expect.poll(() => delivery.inputValue()).toBe('Daily')
  await expect.poll(() => hour.inputValue()).toBe('20')
  await expectNoSeriousViolations(page)
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})

test('the page shows that the mail settings could not be loaded, until the user tries again', async () => {
  const page = await stage.signIn('viewer', '/items')
  tolerate(page, /500 \(Internal Server Error\)/)
  const settings = '**/api/me/mail-settings'
  await page.route(settings, (route) => route.fulfill({ status: 500, json: { code: 'internal' } }))
  await page.goto(`${stage.demo.url}/preferences`)
  await page.getByRole('alert').getByText('Could not load this content.').waitFor()
  const delivery = page.getByRole('combobox', { name: 'When to send mails' })
  expect(await delivery.count()).toBe(0)
  await page.unroute(settings)
  await page.getByRole('button', { name: 'Try again' }).click()
  await delivery.waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('a mail arrives on the page of the demo, and its link ends the mails', async () => {
  const auditor = stage.as('auditor')
  const preference = { code: 'trade.invoice_settled', channel: 'Email', isEnabled: true }
  const body = { preferences: [preference] }
  expect((await auditor('PUT', '/api/me/notification-preferences', { body })).status).toBe(200)
  const clerk = stage.as('clerk')
  const payment = await postedPayment(clerk, await postedInvoice(clerk), '25.00')
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '25.00' } })
  await expect
    .poll(async () => (await fetch(`${stage.demo.url}/mails`)).text())
    .toContain('Notification: Invoice settled')

  const page = await stage.open('/mails')
  await page.getByRole('heading', { name: 'Notification: Invoice settled' }).first().waitFor()
  await expectNoSeriousViolations(page)
  const link = page.frameLocator('iframe').first().getByRole('link', { name: 'unsubscribe' })
  const href = (await link.getAttribute('href')) ?? ''
  await page.goto(href)
  await page.getByRole('button', { name: 'Stop these mails' }).click()
  await page.getByRole('heading', { name: 'You receive no more of these mails.' }).waitFor()
  const stored = await (await auditor('GET', '/api/me/notification-preferences')).json()
  expect(stored).toContainEqual(expect.objectContaining({ ...preference, isEnabled: false }))
})
