import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { signIn, stageOfFile, test } from './harness.ts'
import { rowOf, verb } from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

test('the age of a note grows while its page stays open, and the tooltip shows the date and time', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id }
  const body = { target, text: 'The customer called.' }
  const { createdAtUtc } = await expectAnswer(clerk('POST', '/api/notes', { body }), 201)
  const page = await stage.open(`/sales-invoices/${id}?panel=notes`)
  await page.clock.install()
  await signIn(page, 'clerk')
  const time = page.locator('vk-notes li time')
  await expect.poll(() => time.textContent()).toBe('now')
  await page.clock.fastForward('05:00')
  await expect.poll(() => time.textContent()).toMatch(/^[56] minutes ago$/)
  expect(await time.getAttribute('datetime')).toBe(createdAtUtc)
  expect(await time.getAttribute('title')).toContain(String(new Date(String(createdAtUtc)).getFullYear()))
})

test('times follow a change of the time zone while the page is open', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  const browser = await page.context().newCDPSession(page)
  const dialog = page.getByRole('dialog')
  for (const timezoneId of ['Europe/Warsaw', 'Pacific/Auckland']) {
    await browser.send('Emulation.setTimezoneOverride', { timezoneId })
    await verb(rowOf(page, invoice), 'Snooze').click()
    const tomorrow = dialog.getByRole('button', { name: 'Tomorrow morning' })
    expect(await tomorrow.innerText()).toMatch(/\b8:00\sAM$|\b08:00$/)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
})
