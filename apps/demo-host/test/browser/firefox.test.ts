import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { openDrawer } from './attachments-stage.ts'
import { firefox } from './browsers.ts'
import { expectNoSeriousViolations, showTheme, signOut, stageOfFile, testIn, tolerate } from './harness.ts'
import { focusedRow, rowOf, workCenter } from './work-center-stage.ts'

const test = testIn(firefox)
const stage = stageOfFile({}, firefox)
const clerk = stage.as('clerk')

/** Signs a user in. Firefox asks the sign-in page for an icon, and reports that the policy of that page blocks it. */
async function signIn(user: string, path: string): Promise<Page> {
  const page = await stage.signIn(user, path)
  tolerate(page, blockedIcon)
  return page
}

const blockedIcon = /img-src.* \S+\/favicon\.ico/
const heading = (page: Page): Locator => page.getByRole('heading', { level: 1 })
const expectAccessible = (page: Page): Promise<void> => expectNoSeriousViolations(page, showTheme)

test('users sign in at the identity provider, stay signed in after a reload, and sign out', async () => {
  const page = await stage.open('/sales-orders')
  tolerate(page, blockedIcon)
  await expectAccessible(page)
  await page.locator('[data-user="clerk"]').click()
  await page.getByLabel('Password').fill('demo')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.list-table tbody tr:not(.bone-row)').first().waitFor()
  expect(new URL(page.url()).pathname).toBe('/sales-orders')
  await page.reload()
  await page.getByText('Clara Clerk').first().waitFor()
  await expectAccessible(page)
  await signOut(page)
})

test('an invoice is created, saved and posted', async () => {
  const page = await signIn('clerk', '/sales-invoices/new')
  await page.getByLabel('Customer').fill('Pine')
  await page.getByLabel('Customer').press('Enter')
  await page.getByLabel('Due date').fill('2031-12-31')
  await page.getByLabel('Item, line 1').fill('Wood')
  await page.getByLabel('Item, line 1').press('Enter')
  await expect.poll(() => page.getByLabel('Price, line 1').inputValue()).toBe('11.40')
  await page.getByLabel('Quantity, line 1').fill('2')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect.poll(() => heading(page).textContent()).toMatch(/^SI-\d{6}$/)
  await page.getByLabel('Quantity, line 1').fill('3')
  await page.keyboard.press('Control+s')
  await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Post', exact: true }).click()
  await page.getByRole('region', { name: 'Balance' }).getByText('34.20').first().waitFor()
  // Without axe: the driver of Firefox ends its script in this view, as if the page had navigated. Chromium checks the view.
})

test('a note is added, edited, deleted and restored', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const page = await signIn('clerk', `/sales-invoices/${id}`)
  await page.getByRole('button', { name: /^Notes/ }).click()
  const notes = page.locator('vk-notes')
  const texts = () => notes.locator('li .text').allTextContents()
  await notes.getByLabel('New note').fill('Call before delivery.')
  await notes.getByRole('button', { name: 'Add note' }).click()
  await expect.poll(texts).toEqual(['Call before delivery.'])
  await notes.getByRole('button', { name: /^Edit the note by/ }).click()
  await notes.getByLabel(/Edit the note by .Clara Clerk/).fill('Call the day before.')
  await notes.getByRole('button', { name: 'Save' }).click()
  await expect.poll(texts).toEqual(['Call the day before.'])
  await notes.getByRole('button', { name: 'Delete the note by Clara Clerk' }).click()
  await notes.getByText('No notes yet.').waitFor()
  await page.getByRole('button', { name: 'Undo: Note deleted.' }).click()
  await expect.poll(texts).toEqual(['Call the day before.'])
  await expectAccessible(page)
})

test('a downloaded file has the bytes and the name of the uploaded file', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const page = await signIn('clerk', `/sales-invoices/${id}`)
  const { panel, files, add } = await openDrawer(page)
  const buffer = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
  await add({ name: 'Übersicht.bin', mimeType: '', buffer })
  await files.first().waitFor()
  await expectAccessible(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Download Übersicht.bin' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Übersicht.bin')
  expect((await readFile(await download.path())).equals(buffer)).toBe(true)
  const failure = panel.getByText('The file could not be transferred.')
  expect(await failure.count()).toBe(0)
  tolerate(page, /503/)
  await page.route(`${stage.demo.objectStore}/**`, (route) =>
    route.fulfill({ status: 503, body: '<Error/>' }),
  )
  await panel.getByRole('button', { name: 'Download Übersicht.bin' }).click()
  await failure.waitFor()
})

test('a task appears in the open Work Center, and is claimed and marked as read by keyboard', async () => {
  const page = await signIn('clerk', '/work-center')
  await workCenter(page).getByRole('listitem').first().waitFor()
  const invoice = await postedInvoice(clerk)
  const isUnread = rowOf(page, invoice).getByText('Unread')
  await isUnread.waitFor({ state: 'attached' })
  await rowOf(page, invoice).focus()
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await expect.poll(() => focusedRow(page)).toContain(invoice.number)
  await page.keyboard.press('c')
  await rowOf(page, invoice).getByText('Claimed by you').waitFor()
  await rowOf(page, invoice).getByRole('button', { name: 'Mark as read:' }).press('Enter')
  await isUnread.waitFor({ state: 'detached' })
  await expectAccessible(page)
})

test('the history shows who posted an invoice', async () => {
  const { id } = await postedInvoice(clerk)
  const page = await signIn('clerk', `/sales-invoices/${id}`)
  await page.getByRole('button', { name: 'History' }).click()
  const posted = page.locator('vk-audit-timeline article').filter({ hasText: 'Posted' })
  await posted.getByText('Clara Clerk').waitFor()
  await expectAccessible(page)
})

test('an administrator changes a permission in the matrix of a role', async () => {
  const page = await signIn('manager', '/administration/roles')
  const viewer = page.locator('demo-administration').getByRole('listitem').filter({ hasText: 'Viewer' })
  await viewer.getByRole('button', { name: 'Permissions: Viewer' }).click()
  await viewer.getByRole('checkbox', { name: 'Edit customers' }).check()
  await viewer.getByText('1 added, 0 removed').waitFor()
  await viewer.getByRole('button', { name: 'Review and save' }).click()
  await page.getByRole('dialog').getByText('Adds: Edit customers').waitFor()
  await expectAccessible(page)
})
