import type { Toasts } from '@vertical-kit/ui-client/elements'
import { expect } from 'vitest'
import { act } from '../actions.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test } from './harness.ts'
import { watchShifts } from './layout-shift.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

test.each([320, 1280])(
  'at %i pixels, nothing moves when the balance and the task of an invoice appear',
  async (width) => {
    const { id } = await postedInvoice(clerk)
    const page = await stage.signIn('clerk', '/preferences', { viewport: { width, height: 700 } })
    const shifted = await watchShifts(page)
    const shown = Promise.withResolvers<void>()
    await page.route(/work-center\/items\?tab=tasks|\/balance$/, async (route) => {
      await shown.promise
      await route.continue()
    })
    await page.goto(`${stage.demo.url}/sales-invoices/${id}`)
    await page.getByRole('heading', { name: 'Accounting entries' }).waitFor()
    await page.getByRole('button', { name: 'Follow' }).waitFor()
    const before = await shifted()
    shown.resolve()
    const task = page.locator('vk-your-tasks').getByRole('listitem')
    await task.waitFor()
    await page.getByRole('link', { name: 'Register payment' }).waitFor()
    expect((await shifted()) - before).toBe(0)
    const { top, bottom } = await task.evaluate((one) => one.getBoundingClientRect())
    const entries = page.getByRole('heading', { name: 'Accounting entries' })
    const above = await entries.evaluate((one) => one.closest('.card')?.getBoundingClientRect().bottom)
    // On a narrow screen, the task would cover most of the view, so it only follows it.
    if (width > 640) expect(bottom).toBeLessThanOrEqual(700)
    else expect(top).toBeGreaterThanOrEqual(above ?? 0)
    await expectNoSeriousViolations(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  },
)

test.each([320, 1280])(
  'at %i pixels, the tasks are the last part of an entry, and no message covers them',
  async (width) => {
    const { document: order } = await act(clerk, await draftSales(clerk, 'trade.sales_order'), 'post')
    const page = await stage.signIn('clerk', `/sales-orders/${order.id}`, {
      viewport: { width, height: 600 },
    })
    const task = page.locator('vk-your-tasks').getByRole('listitem')
    await task.getByRole('button', { name: /^Take action/ }).waitFor()
    await page.getByRole('heading', { name: 'Accounting entries' }).waitFor()
    const isLast = page
      .locator('demo-entry > :last-child')
      .evaluate(({ localName }) => localName === 'vk-your-tasks')
    expect(await isLast).toBe(true)
    await page.evaluate(() =>
      document.querySelector<Toasts>('vk-toasts')?.store?.announce({ text: 'Posted. Next: Create invoice.' }),
    )
    const message = page.locator('vk-toasts [part=toast]')
    await message.waitFor()
    const bottom = await message.evaluate((one) => one.getBoundingClientRect().bottom)
    expect(await task.evaluate((one) => one.getBoundingClientRect().top)).toBeGreaterThanOrEqual(bottom)
  },
)

test('on a narrow screen, a button in the head of an entry leads to the task below it', async () => {
  const { document: order } = await act(clerk, await draftSales(clerk, 'trade.sales_order'), 'post')
  const page = await stage.signIn('clerk', '/sales-orders', { viewport: { width: 320, height: 600 } })
  const effects = Promise.withResolvers<void>()
  await page.route('**/effects', async (route) => {
    await effects.promise
    await route.continue()
  })
  await page.goto(`${stage.demo.url}/sales-orders/${order.id}`)
  const toTask = page.getByRole('button', { name: 'Your task' })
  await toTask.waitFor()
  expect(await page.locator('.entry-head > .row').evaluate((one) => one.clientHeight)).toBeLessThan(40)
  await toTask.click()
  const task = page.locator('vk-your-tasks').getByRole('listitem')
  const isInView = () =>
    task.evaluate((one) => {
      const { top, bottom } = one.getBoundingClientRect()
      return top > 56 && bottom <= innerHeight
    })
  await expect.poll(isInView).toBe(true)
  // Sections that load above the task do not move it away.
  effects.resolve()
  await page.getByRole('heading', { name: 'Accounting entries' }).waitFor()
  await expect.poll(isInView).toBe(true)
  const focused = page.getByRole('group', { name: 'Your tasks' }).and(page.locator(':focus'))
  expect(await focused.count()).toBe(1)
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('vk-your-tasks')
  await act(clerk, order, 'trade.create_invoice')
  await toTask.waitFor({ state: 'hidden' })
  await page.setViewportSize({ width: 1280, height: 600 })
  expect(await toTask.isVisible()).toBe(false)
})
