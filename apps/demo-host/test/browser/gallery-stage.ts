import type { Page } from 'playwright-core'
import { axeFindings } from './accessibility.ts'
import type { FileStage } from './harness.ts'
import { sceneScreenshot } from './screenshot.ts'

/** The time of the gallery. The fixtures are relative to it, so screenshots do not change from day to day. */
const galleryNow = '2026-03-04T10:30:00Z'

interface Look {
  readonly title: string
  readonly colorScheme?: 'light' | 'dark'
  readonly forcedColors?: 'active'
  readonly dir?: 'rtl'
}

/**
 * The looks in which every scene is checked, by the width in which the scene opens: menus close when the window changes. Forced
 * colours are the last ones of a document, because Chromium keeps some of them when they end.
 */
const looks: readonly {
  readonly size: { width: number; height: number }
  readonly looks: readonly Look[]
}[] = [
  {
    size: { width: 320, height: 640 },
    looks: [{ title: '320 px' }, { title: '320 px, right to left', dir: 'rtl' }],
  },
  {
    size: { width: 1000, height: 800 },
    looks: [
      { title: 'light' },
      { title: 'dark, right to left', colorScheme: 'dark', dir: 'rtl' },
      { title: 'forced colours', colorScheme: 'dark', forcedColors: 'active' },
    ],
  },
]

/** The tags of the elements, in the order of the gallery. Each group has a test file of its own. */
export const tags = {
  content: ['vk-attachments', 'vk-uploads', 'vk-notes', 'vk-audit-timeline'],
  document: [
    'vk-document-actions',
    'vk-document-batch',
    'vk-take-action',
    'vk-your-tasks',
    'vk-live-object',
    'vk-follow',
    'vk-toasts',
  ],
  work: ['vk-work-center', 'vk-work-center-badge', 'vk-team-tasks', 'vk-substitution'],
  administration: ['vk-preferences', 'vk-users', 'vk-roles', 'vk-outbox', 'vk-status'],
} as const

/** The scenes in `docs/gallery.md`. */
const pictures = new Set([
  'attachments-few',
  'attachments-uploading',
  'notes-few',
  'notes-conflict',
  'audit-timeline-few',
  'document-actions-many',
  'document-actions-confirm',
  'document-actions-uncertain',
  'document-batch-partial',
  'your-tasks-few',
  'live-object-changed',
  'toasts-undo',
  'work-center-few',
  'work-center-selected',
  'work-center-snooze',
  'team-tasks-few',
  'substitution-few',
  'preferences-few',
  'users-few',
  'roles-changed',
  'outbox-attempts',
  'status-many',
])

/** Returns the defects of all scenes of an element, and writes the screenshots of some. */
export async function checkScenes(stage: FileStage, tag: string): Promise<readonly string[]> {
  const page = await openGallery(stage)
  const defects: string[] = []
  for (const name of await scenesOf(page, tag)) {
    for (const { size, looks: ofSize } of looks) {
      await page.setViewportSize(size)
      await openScene(page, name)
      for (const look of ofSize) {
        const found = await defectsOf(page, look)
        defects.push(...found.map((defect) => `${name}, ${look.title}: ${defect}`))
      }
    }
    if (pictures.has(name)) await sceneScreenshot(page, () => openScene(page, name), name)
  }
  return defects
}

/** Opens the list of all scenes. */
export async function openGallery(stage: FileStage): Promise<Page> {
  const page = await stage.open('/gallery', { locale: 'en-GB', timezoneId: 'Europe/Berlin' })
  await page.clock.setFixedTime(galleryNow)
  await page.locator('main a').first().waitFor()
  return page
}

/** Returns the names of the scenes of an element, from the list of all scenes. */
export const scenesOf = (page: Page, tag: string): Promise<readonly string[]> =>
  page
    .locator('h2', { has: page.getByText(tag, { exact: true }) })
    .locator('+ ul a')
    .evaluateAll((links) =>
      links.map((link) => new URLSearchParams((link as HTMLAnchorElement).search).get('scene') ?? ''),
    )

/** Opens a scene, and waits for its final state. */
async function openScene(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ forcedColors: 'none' })
  await page.goto(new URL(`/gallery?scene=${name}`, page.url()).href)
  await page.locator('main[data-state]').waitFor()
  if ((await page.locator('main').getAttribute('data-state')) !== 'ready') throw new Error(`${name} failed`)
}

/** Returns the defects of the open scene in a look: what axe finds, and what does not fit in the window. */
async function defectsOf(page: Page, look: Look): Promise<readonly string[]> {
  const { colorScheme = 'light', forcedColors = 'none', dir = 'ltr' } = look
  await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' })
  await page.evaluate((value) => {
    document.documentElement.dir = value
  }, dir)
  // Structure is checked in light mode, in both directions.
  const found = await axeFindings(page, { isStrict: true, onlyColours: colorScheme === 'dark' })
  return [...found, ...(await page.evaluate(findOverflow))]
}

/** Returns the elements that are wider than the window, also in shadow roots and dialogs. Runs in the browser. */
function findOverflow(): readonly string[] {
  const { clientWidth } = document.documentElement
  const found: string[] = []
  const visit = (element: Element): void => {
    const style = getComputedStyle(element)
    if (style.display === 'none' || style.visibility === 'hidden') return
    const { left, right, width } = element.getBoundingClientRect()
    if (width > 1 && (left < -1 || right > clientWidth + 1)) {
      const name = `${element.localName}.${element.getAttribute('class') ?? ''}`
      found.push(`${name} from ${Math.round(left)} to ${Math.round(right)} of ${clientWidth} px`)
    }
    // An element that clips or scrolls its content may be narrower than its content.
    if (style.overflowX !== 'visible') return
    for (const child of element.shadowRoot?.children ?? []) visit(child)
    for (const child of element.children) visit(child)
  }
  visit(document.body)
  return found.slice(0, 3)
}
