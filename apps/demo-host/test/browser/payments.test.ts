import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { act } from '../actions.ts'
import { draftSales, postedInvoice, postedPayment } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'
import { hold } from './reports.ts'

const stage = stageOfFile()

const amounts = (page: Page) => page.getByRole('region', { name: 'Balance' }).locator('dd').allInnerTexts()

test('an invoice shows what is paid and outstanding, and a payment of the rest settles it', async () => {
  const clerk = await stage.demo.as('clerk')
  const invoice = await postedInvoice(clerk)
  const part = await postedPayment(clerk, invoice, '10.00')
  await act(clerk, part, 'trade.apply_payment', { payload: { amount: '10.00' } })
  const page = await stage.signIn('clerk', `/sales-invoices/${invoice.id}`)
  await expect.poll(() => amounts(page)).toEqual(['25.00', '10.00', '15.00'])
  await expectNoSeriousViolations(page)
  await page.getByRole('link', { name: 'Payments of this invoice' }).click()
  await page.getByRole('link', { name: part.number }).waitFor()
  await page.goBack()

  await page.getByRole('link', { name: 'Register payment' }).click()
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Invoice' }).inputValue())
    .toBe(`${invoice.number} · Acme`)
  expect(await page.getByLabel('Amount').inputValue()).toBe('15.00')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await page.getByRole('button', { name: 'Apply payment', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await expect.poll(() => dialog.getByLabel('Amount').inputValue()).toBe('15.00')
  await dialog.getByRole('button', { name: 'Apply payment' }).click()
  await page.getByRole('link', { name: invoice.number }).click()
  await expect.poll(() => amounts(page)).toEqual(['25.00', '25.00', '0.00'])
  expect(await page.getByRole('link', { name: 'Register payment' }).count()).toBe(0)
})

test('beside a panel, the amounts of the balance have room for their text', async () => {
  const clerk = await stage.demo.as('clerk')
  const invoice = await postedInvoice(clerk)
  await postedPayment(clerk, invoice, '10.00')
  const page = await stage.signIn('clerk', `/sales-invoices/${invoice.id}?panel=notes`)
  const balance = page.getByRole('region', { name: 'Balance' })
  await balance.getByText('10.00 received, not applied').waitFor()
  const cut = await balance
    .locator('.field')
    .evaluateAll((fields) => fields.filter((field) => field.scrollWidth > field.clientWidth).length)
  expect(cut).toBe(0)
})

test.each([320, 360])('on a phone of %i px, an amount of ten million is in one line', async (width) => {
  const clerk = await stage.demo.as('clerk')
  const draft = await draftSales(clerk, 'trade.sales_invoice', ({ lines, ...fields }) => ({
    ...fields,
    lines: lines.map((line) => ({ ...line, quantity: 1, unitPrice: '10000000.00' })),
  }))
  const { document: invoice } = await act(clerk, draft, 'post')
  const page = await stage.signIn('clerk', `/sales-invoices/${invoice.id}`, {
    viewport: { width, height: 700 },
  })
  await page.getByRole('heading', { name: 'Accounting entries' }).waitFor()
  await expect.poll(() => amounts(page)).toEqual(['10,000,000.00', '0.00', '10,000,000.00'])
  const lineCounts = await page.getByText('10,000,000.00', { exact: true }).evaluateAll((elements) =>
    elements.map((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return new Set([...range.getClientRects()].map(({ top }) => top)).size
    }),
  )
  // Price, amount and sum of the lines, total and outstanding, debit and credit.
  expect(lineCounts).toEqual([1, 1, 1, 1, 1, 1, 1])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
})

test('parts of a document that could not be loaded appear when the network returns', async () => {
  const clerk = await stage.demo.as('clerk')
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk')
  tolerate(page, /500 \(Internal Server Error\)/)
  const parts = /\/(balance|effects)$/
  await page.route(parts, (route) => route.fulfill({ status: 500 }))
  const refused = ['balance', 'effects'].map((part) => page.waitForResponse(new RegExp(`/${part}$`)))
  await page.goto(`${stage.demo.url}/sales-invoices/${invoice.id}`)
  await Promise.all(refused)
  await page.unroute(parts)
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await expect.poll(() => amounts(page)).toEqual(['25.00', '0.00', '25.00'])
  await page.getByRole('heading', { name: 'Accounting entries' }).waitFor()
})

test('an invoice shows received money that is not applied, and suggests only the rest as a payment', async () => {
  const clerk = await stage.demo.as('clerk')
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '10.00')
  const page = await stage.signIn('clerk', `/sales-invoices/${invoice.id}`)
  const balance = page.getByRole('region', { name: 'Balance' })
  await balance.getByText('10.00 received, not applied').waitFor()
  expect(await amounts(page)).toEqual(['25.00', '0.00', '25.00'])
  await expectNoSeriousViolations(page)
  await page.getByRole('link', { name: 'Register payment' }).click()
  expect(await page.getByLabel('Amount').inputValue()).toBe('15.00')
  await page.goBack()

  await postedPayment(clerk, invoice, '15.00')
  await page.reload()
  await balance.getByText('25.00 received, not applied').waitFor()
  expect(await page.getByRole('link', { name: 'Register payment' }).count()).toBe(0)
  await balance.getByRole('link', { name: 'Apply', exact: true }).click()
  await page.getByRole('heading', { name: payment.number }).waitFor()
})

test('users who may not view payments see no received money, and viewers no link to apply it', async () => {
  const clerk = await stage.demo.as('clerk')
  const invoice = await postedInvoice(clerk)
  await postedPayment(clerk, invoice, '10.00')
  const received = (page: Page) => page.getByText('10.00 received, not applied')
  const viewer = await stage.signIn('viewer', `/sales-invoices/${invoice.id}`, {
    viewport: { width: 320, height: 700 },
  })
  await received(viewer).waitFor()
  expect(await viewer.getByRole('link', { name: 'Apply', exact: true }).count()).toBe(0)
  expect(await viewer.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  const uploader = await stage.signIn('uploader', `/sales-invoices/${invoice.id}`)
  await expect.poll(() => amounts(uploader)).toEqual(['25.00', '0.00', '25.00'])
  expect(await received(uploader).count()).toBe(0)
})

test('the dialog suggests what can be applied, and after a conflict the typed amount', async () => {
  const clerk = await stage.demo.as('clerk')
  const payment = await postedPayment(clerk, await postedInvoice(clerk), '30.00')
  const page = await stage.signIn('clerk', `/payments/${payment.id}`)
  tolerate(page, /409 \(Conflict\)/)
  await expect.poll(() => amounts(page)).toEqual(['0.00', '30.00'])
  const apply = page.getByRole('button', { name: 'Apply payment', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Apply payment' })
  const amount = dialog.getByLabel('Amount')
  const failed = page.getByText('“Apply payment” failed.').first()
  await apply.click()
  await expect.poll(() => amount.inputValue()).toBe('25.00')
  await amount.fill('26')
  await amount.press('Enter')
  await failed.waitFor()
  await apply.click()
  await expect.poll(() => amount.inputValue()).toBe('25.00')
  // A colleague applies a part during the dialog, so this attempt has an old version.
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '1.00' } })
  await amount.fill('4')
  await amount.press('Enter')
  await expect.poll(() => amounts(page)).toEqual(['1.00', '29.00'])
  await apply.click()
  await expect.poll(() => amount.inputValue()).toBe('4.00')
  await amount.press('Enter')
  await expect.poll(() => amounts(page)).toEqual(['5.00', '25.00'])
  await apply.click()
  await expect.poll(() => amount.inputValue()).toBe('20.00')
  await expectNoSeriousViolations(page)
})

test('the dialog opens at once, and a late suggestion replaces nothing that the user has typed', async () => {
  const clerk = await stage.demo.as('clerk')
  const payment = await postedPayment(clerk, await postedInvoice(clerk), '30.00')
  const page = await stage.signIn('clerk', '/payments')
  await page.getByRole('link', { name: payment.number }).click()
  await expect.poll(() => amounts(page)).toEqual(['0.00', '30.00'])
  const held = await hold(page, /\/balance$/)
  const apply = page.getByRole('button', { name: 'Apply payment', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Apply payment' })
  const amount = dialog.getByLabel('Amount')
  await apply.click()
  await expect.poll(() => held.length).toBe(1)
  expect(await amount.inputValue()).toBe('')
  await amount.press('Enter')
  const error = dialog.getByText('Enter an amount above zero')
  await error.waitFor()
  await held[0]?.continue()
  await expect.poll(() => amount.inputValue()).toBe('25.00')
  await error.waitFor({ state: 'detached' })
  await page.keyboard.type('7')
  expect(await amount.inputValue()).toBe('7')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await apply.click()
  await amount.fill('4')
  await expect.poll(() => held.length).toBe(2)
  const answered = page.waitForResponse(/\/balance$/)
  await held[1]?.continue()
  await answered
  expect(await amount.inputValue()).toBe('4')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  // Back closes the dialog. The answer then opens nothing.
  await apply.click()
  await expect.poll(() => held.length).toBe(3)
  await page.goBack()
  await dialog.waitFor({ state: 'detached' })
  const late = page.waitForResponse(/\/balance$/)
  await held[2]?.continue()
  await late
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('an invoice that is settled has no link to apply money, and shows what is not applied', async () => {
  const clerk = await stage.demo.as('clerk')
  const invoice = await postedInvoice(clerk)
  const payment = await postedPayment(clerk, invoice, '30.00')
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '25.00' } })
  const page = await stage.signIn('clerk', `/sales-invoices/${invoice.id}`)
  const balance = page.getByRole('region', { name: 'Balance' })
  await balance.getByText('5.00 received, not applied').waitFor()
  expect(await amounts(page)).toEqual(['25.00', '25.00', '0.00'])
  expect(await balance.getByRole('link', { name: 'Apply', exact: true }).count()).toBe(0)
})

test('users who may not create payments see the balance without the link', async () => {
  const invoice = await postedInvoice(await stage.demo.as('clerk'))
  const page = await stage.signIn('viewer', `/sales-invoices/${invoice.id}`, {
    viewport: { width: 320, height: 700 },
  })
  await expect.poll(() => amounts(page)).toEqual(['25.00', '0.00', '25.00'])
  expect(await page.getByRole('link', { name: 'Register payment' }).count()).toBe(0)
  await expectNoSeriousViolations(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
})
