import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const folder = fileURLToPath(new URL('../../../../docs/screenshots/', import.meta.url))
const looks = {
  light: { colorScheme: 'light', isNarrow: false },
  dark: { colorScheme: 'dark', isNarrow: false },
  narrow: { colorScheme: 'light', isNarrow: true },
} as const
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } }

/** Writes `docs/screenshots/<name>-{light,dark,narrow}.png` if UPDATE_SCREENSHOTS is 1. */
export const screenshot = (page: Page, name: string): Promise<void> => shoot(page, name, async () => {})

/**
 * Writes screenshots of a scene of the gallery in the folder `gallery`. The window is as high as the content. `open` opens the
 * scene again for each look, because menus close when the window changes.
 */
export const sceneScreenshot = (page: Page, open: () => Promise<void>, name: string): Promise<void> =>
  shoot(page, `gallery/${name}`, async ({ isNarrow }) => {
    const width = isNarrow ? sizes.narrow.width : 760
    await page.setViewportSize({ width, height: 560 })
    await open()
    const height = Math.min(await page.evaluate(contentHeight), 800)
    await page.setViewportSize({ width, height })
    await open()
  })

async function shoot(
  page: Page,
  name: string,
  prepare: (look: { readonly isNarrow: boolean }) => Promise<void>,
): Promise<void> {
  if (process.env['UPDATE_SCREENSHOTS'] !== '1') return
  await mkdir(dirname(folder + name), { recursive: true })
  const before = page.viewportSize()
  for (const [look, { colorScheme, isNarrow }] of Object.entries(looks)) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce', forcedColors: 'none' })
    await page.setViewportSize(isNarrow ? sizes.narrow : sizes.wide)
    await prepare({ isNarrow })
    await page.screenshot({ path: `${folder}${name}-${look}.png`, animations: 'disabled', caret: 'hide' })
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null, forcedColors: null })
  if (before !== null) await page.setViewportSize(before)
}

/** Returns the height that the main content, open dialogs, menus and messages need. Runs in the browser. */
function contentHeight(): number {
  let height = document.querySelector('main')?.scrollHeight ?? 0
  const visit = (root: Element | ShadowRoot): void => {
    for (const element of root.querySelectorAll('*')) {
      const box = element.getBoundingClientRect()
      // Dialogs and messages move with the window. The place of a menu depends only on its button.
      if (element.matches('dialog:is(:modal, :popover-open)'))
        height = Math.max(height, 1.25 * box.height + 64)
      if (element.matches(':popover-open:not(dialog)')) {
        const isAtEnd = innerHeight - box.bottom < 20
        height = Math.max(height, isAtEnd ? height + box.height : box.bottom + 16)
      }
      if (element.shadowRoot !== null) visit(element.shadowRoot)
    }
  }
  visit(document.body)
  return Math.ceil(height)
}
