import type { Locator, Page } from 'playwright-core'

/** Returns the row with a text in a part of the administration. */
export const row = (page: Page, text: string): Locator =>
  page.locator('demo-administration').getByRole('listitem').filter({ hasText: text })

/** Returns the newest message with a text. */
export const toast = (page: Page, text: string | RegExp): Locator =>
  page.locator('vk-toasts').getByText(text).first()

export const dialog = (page: Page): Locator => page.getByRole('dialog')
