import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const folder = fileURLToPath(new URL('../../../../docs/screenshots/', import.meta.url))
const wide = { width: 1280, height: 800 }
const looks = {
  light: { colorScheme: 'light', size: wide },
  dark: { colorScheme: 'dark', size: wide },
  narrow: { colorScheme: 'light', size: { width: 360, height: 740 } },
} as const

/** Writes `docs/screenshots/<name>-{light,dark,narrow}.png` if UPDATE_SCREENSHOTS is 1. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env['UPDATE_SCREENSHOTS'] !== '1') return
  await mkdir(folder, { recursive: true })
  const before = page.viewportSize()
  for (const [look, { colorScheme, size }] of Object.entries(looks)) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize(size)
    await page.screenshot({ path: `${folder}${name}-${look}.png`, animations: 'disabled', caret: 'hide' })
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  if (before !== null) await page.setViewportSize(before)
}
