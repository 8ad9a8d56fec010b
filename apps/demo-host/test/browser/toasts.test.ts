import type { Toasts } from '@vertical-kit/ui-client/elements'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { draftSales } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const invoicePath = async () => `/sales-invoices/${(await draftSales(clerk, 'trade.sales_invoice')).id}`
const region = (page: Page): Locator => page.getByRole('region', { name: 'Messages' })

/** Announces a message. Its *Undo* stores the text where {@link undone} finds it: the page writes its title again. */
const announce = (page: Page, text: string, isUndoable = false) =>
  page.evaluate(
    ([message, hasUndo]) => {
      const undo = () => {
        document.documentElement.dataset['undone'] = message
      }
      document
        .querySelector<Toasts>('vk-toasts')
        ?.store?.announce({ text: message, ...(hasUndo ? { undo } : {}) })
    },
    [text, isUndoable] as const,
  )

const undone = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.documentElement.dataset['undone'])

/** Adds a closed dialog with its own messages to the page. */
const addDialog = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const dialog = document.createElement('dialog')
    const toasts = document.createElement('vk-toasts')
    toasts.session = document.querySelector('vk-toasts')?.session
    dialog.append(toasts)
    document.body.append(dialog)
  })

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? ''
  })

test('a message appears without taking the focus, and F8 reaches its Undo and returns', async () => {
  const page = await stage.signIn('clerk', await invoicePath())
  await expect.poll(() => page.title()).toContain('Sales invoices')
  const link = page.getByRole('link', { name: 'Preferences' })
  await link.focus()
  await announce(page, 'Note deleted.', true)
  await region(page).getByRole('button', { name: 'Undo: Note deleted.' }).waitFor()
  await page
    .getByRole('status')
    .getByText('Note deleted. Press F8, then Enter, to undo.')
    .waitFor({ state: 'attached' })
  expect(await focused(page)).toBe('Preferences')
  await expectNoSeriousViolations(page)
  await page.keyboard.press('F8')
  expect(await focused(page)).toBe('Undo: Note deleted.')
  await page.keyboard.press('F8')
  expect(await focused(page)).toBe('Preferences')
  await page.keyboard.press('F8')
  await page.keyboard.press('Enter')
  await region(page).waitFor({ state: 'hidden' })
  expect(await undone(page)).toBe('Note deleted.')
  expect(await focused(page)).toBe('Preferences')
})

test('a message with Undo stays when the dialog that showed it is closed', async () => {
  const page = await stage.signIn('clerk', await invoicePath())
  await expect.poll(() => page.title()).toContain('Sales invoices')
  await addDialog(page)
  await page.evaluate(() => document.querySelector<HTMLDialogElement>('body > dialog')?.showModal())
  await announce(page, 'Note deleted.', true)
  await page.locator('body > dialog vk-toasts').getByText('Note deleted.').last().waitFor()
  await page.evaluate(() => document.querySelector<HTMLDialogElement>('body > dialog')?.close())
  await region(page).getByRole('button', { name: 'Undo: Note deleted.' }).click()
  await expect.poll(() => undone(page)).toBe('Note deleted.')
})

test('an element in a closed dialog hides no message, and one in an open dialog shows it in front', async () => {
  const page = await stage.signIn('clerk', await invoicePath())
  await addDialog(page)
  await announce(page, 'In the page.')
  await region(page).getByText('In the page.').waitFor()
  await page.evaluate(() => document.querySelector<HTMLDialogElement>('body > dialog')?.showModal())
  await announce(page, 'In the dialog.')
  await page.locator('body > dialog vk-toasts').getByText('In the dialog.').last().waitFor()
  await region(page).getByRole('button', { name: 'Close: In the dialog.' }).click()
})

test('after the element with the focus has gone, the focus returns to the element around it', async () => {
  const page = await stage.signIn('clerk', await invoicePath())
  const link = page.getByRole('link', { name: 'Preferences' })
  await link.focus()
  await announce(page, 'Note deleted.', true)
  await region(page).getByRole('button', { name: 'Undo: Note deleted.' }).waitFor()
  await page.keyboard.press('F8')
  const parent = await link.evaluateHandle((one) => one.parentElement)
  await link.evaluate((one) => one.remove())
  await page.keyboard.press('Enter')
  await region(page).waitFor({ state: 'hidden' })
  expect(await parent.evaluate((one) => one?.matches(':focus'))).toBe(true)
})

test('the messages can be used in front of an open drawer, where Escape closes a message and then the drawer', async () => {
  const page = await stage.signIn('clerk', await invoicePath(), { viewport: { width: 1000, height: 740 } })
  await page.getByRole('button', { name: /^Notes/ }).click()
  const field = page.locator('vk-notes').getByLabel('New note')
  await field.focus()
  await announce(page, 'first', true)
  await announce(page, 'second', true)
  expect(await region(page).count()).toBe(1)
  await expectNoSeriousViolations(page)
  await region(page).getByRole('button', { name: 'Undo: first' }).click()
  await expect.poll(() => undone(page)).toBe('first')
  // A click on a message leaves the focus where it is.
  expect(await field.evaluate((one) => one.matches(':focus'))).toBe(true)
  await page.keyboard.press('F8')
  await page.keyboard.press('Escape')
  await region(page).waitFor({ state: 'hidden' })
  expect(await field.evaluate((one) => one.matches(':focus'))).toBe(true)
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
})

test('a message that the user has touched disappears after its time, and one below the mouse stays', async () => {
  const page = await stage.signIn('clerk', await invoicePath(), {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  await page.clock.install()
  await announce(page, 'Touched.')
  await region(page).getByText('Touched.').tap()
  await page.clock.runFor(7_000)
  await region(page).waitFor({ state: 'hidden' })
  await announce(page, 'Pointed at.')
  await region(page).getByText('Pointed at.').hover()
  await page.clock.runFor(7_000)
  expect(await region(page).isVisible()).toBe(true)
  await page.mouse.move(0, 0)
  await page.clock.runFor(7_000)
  await region(page).waitFor({ state: 'hidden' })
})

test('messages fit into 320 pixels, from right to left', async () => {
  const page = await stage.signIn('clerk', await invoicePath(), { viewport: { width: 320, height: 640 } })
  await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
  await announce(page, `A long message about ${'a-very-long-name'.repeat(6)}.pdf`, true)
  const box = await region(page).boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320)
  await expectNoSeriousViolations(page)
})
