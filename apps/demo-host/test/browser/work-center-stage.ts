import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Document } from '../actions.ts'

/** The Work Center as a page shows it. */
export const workCenter = (page: Page): Locator => page.locator('vk-work-center')

/** The row of an item about a document. */
export const rowOf = (page: Page, { number }: Document): Locator =>
  workCenter(page).getByRole('listitem').filter({ hasText: number })

/** The button with the count, at the top of every page. */
export const badge = (page: Page): Locator => page.getByRole('button', { name: /^Work Center/ })

/** How much needs attention, as the badge says; NaN while it is not known. */
export const countOf = async (page: Page): Promise<number> =>
  Number((await badge(page).locator('.count').textContent())?.replace('+', ''))

/** Resolves with the count once it is known. */
export async function knownCount(page: Page): Promise<number> {
  await expect.poll(() => countOf(page)).not.toBeNaN()
  return countOf(page)
}

/** A button of a row. */
export const verb = (row: Locator, label: string): Locator => row.getByRole('button', { name: `${label}:` })

export const tab = (page: Page, name: string): Locator => workCenter(page).getByRole('tab', { name })
