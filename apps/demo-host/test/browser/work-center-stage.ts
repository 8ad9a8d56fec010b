import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Document } from '../actions.ts'

/** The Work Center on a page. */
export const workCenter = (page: Page): Locator => page.locator('vk-work-center')

/** The row of an item about a document. */
export const rowOf = (page: Page, { number }: Document): Locator =>
  workCenter(page).getByRole('listitem').filter({ hasText: number })

/** The button with the count, which every page shows at the top. */
export const badge = (page: Page): Locator => page.getByRole('button', { name: /^Work Center/ })

/** Returns the count of the badge; NaN while it is unknown. */
export const countOf = async (page: Page): Promise<number> =>
  Number((await badge(page).locator('.count').textContent())?.replace('+', ''))

/** Waits until the count is known and returns it. */
export async function knownCount(page: Page): Promise<number> {
  await expect.poll(() => countOf(page)).not.toBeNaN()
  return countOf(page)
}

/** A button in a row. */
export const verb = (row: Locator, label: string): Locator => row.getByRole('button', { name: `${label}:` })

export const tab = (page: Page, name: string): Locator => workCenter(page).getByRole('tab', { name })
