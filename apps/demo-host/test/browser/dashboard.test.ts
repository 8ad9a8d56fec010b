import { expect } from 'vitest'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()

test('the start page shows what is overdue and received, in tables and bars', async () => {
  const page = await stage.signIn('clerk', '/')
  await page.getByRole('heading', { name: 'Receivables', level: 1 }).waitFor()
  await expect.poll(() => page.title()).toBe('Receivables · Vertical Kit demo')
  const overdue = page.getByRole('table', { name: 'Overdue by age' })
  await expect
    .poll(() => overdue.getByRole('row', { name: /^1 to 30 days/ }).textContent())
    .toMatch(/[1-9][\d,]*\.\d\d\s+\d+ invoices?/)
  expect(await page.getByRole('table', { name: 'Received by month' }).getByRole('row').count()).toBe(7)
  await expectNoSeriousViolations(page)
  const oldest = page.getByRole('table', { name: 'Oldest open invoices' })
  const link = oldest.getByRole('link').first()
  const number = await link.textContent()
  await link.click()
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(number)
})

test.each(['ltr', 'rtl'])('it fits a narrow screen (%s)', async (direction) => {
  const page = await stage.signIn('viewer', '/', { viewport: { width: 320, height: 700 } })
  await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction)
  await page.getByRole('table', { name: 'Oldest open invoices' }).getByRole('link').first().waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  await expectNoSeriousViolations(page)
})

test('after a failure, the overview can be loaded again', async () => {
  const page = await stage.signIn('clerk', '/items')
  tolerate(page, /500 \(Internal Server Error\)/)
  await page.route(/api\/receivables/, (route) => route.fulfill({ status: 500, body: 'broken' }))
  await page.getByRole('link', { name: 'Receivables' }).click()
  await page.getByRole('heading', { name: 'The overview could not be loaded' }).waitFor()
  await page.unroute(/api\/receivables/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('table', { name: 'Oldest open invoices' }).getByRole('link').first().waitFor()
})

test('users who may not view payments start with their first list', async () => {
  const page = await stage.signIn('uploader', '/')
  await page.getByRole('heading', { name: 'Sales invoices', level: 1 }).waitFor()
  expect(await page.getByRole('link', { name: 'Receivables' }).count()).toBe(0)
})
