import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Document } from '../actions.ts'

/** Returns the Work Center element of a page. */
export const workCenter = (page: Page): Locator => page.locator('vk-work-center')

/** Returns the messages about the user's work. */
export const messages = (page: Page): Locator => page.getByRole('region', { name: 'Messages' })

/** Returns the row of the item about a document. */
export const rowOf = (page: Page, { number }: Document): Locator =>
  workCenter(page).getByRole('listitem').filter({ hasText: number })

/** Returns the button at the top of every page that shows the count of items. */
export const badge = (page: Page): Locator => page.getByRole('button', { name: /^Work Center/ })

/** Returns the count that the button shows, or NaN while the count is unknown. */
export const countOf = async (page: Page): Promise<number> =>
  Number((await badge(page).locator('.count').textContent())?.replace('+', ''))

/** Waits until the count is known and returns it. */
export async function knownCount(page: Page): Promise<number> {
  await expect.poll(() => countOf(page)).not.toBeNaN()
  return countOf(page)
}

/** Returns the button with this label in a row. */
export const verb = (row: Locator, label: string): Locator => row.getByRole('button', { name: `${label}:` })

/** Selects a user in the list of those who have tasks, which shows their number beside the name. */
export async function selectUser(users: Locator, name: string): Promise<void> {
  const option = users.getByRole('option', { name: new RegExp(`^${name} \\(\\d+\\)$`) })
  await option.waitFor({ state: 'attached' })
  await users.selectOption(await option.getAttribute('value'))
}

export const tab = (page: Page, name: string): Locator => workCenter(page).getByRole('tab', { name })

/** Shows the filters below the search. */
export const openFilters = (page: Page): Promise<void> =>
  workCenter(page).getByText('Filters', { exact: true }).last().click()

/** Returns the text of the row that contains the focus. */
export const focusedRow = (page: Page): Promise<string> =>
  page.evaluate(() => {
    let focused = document.activeElement
    while (focused?.shadowRoot?.activeElement != null) focused = focused.shadowRoot.activeElement
    return focused?.closest('li')?.textContent ?? ''
  })
