import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const reported = new Set(['serious', 'critical'])
/** The rules of axe that depend on colours. */
const colourRules = ['color-contrast', 'link-in-text-block']

/** Shows a page in light or dark mode, or, for null, in the mode of the browser. */
type Show = (page: Page, mode: 'light' | 'dark' | null) => Promise<unknown>

const emulate: Show = (page, mode) =>
  page.emulateMedia({ colorScheme: mode, reducedMotion: mode === null ? null : 'reduce' })

/** Shows a mode like the user's choice of a theme does: Firefox cannot emulate media. */
export const showTheme: Show = (page, mode) =>
  page.evaluate((theme) => {
    if (theme === null) delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
  }, mode)

/**
 * Checks the page with axe in light mode, and its colours in dark mode. Fails if axe reports serious or critical violations.
 * The error lists the rules and elements of these violations.
 */
export async function expectNoSeriousViolations(page: Page, show: Show = emulate): Promise<void> {
  for (const mode of ['light', 'dark'] as const) {
    await show(page, mode)
    const found = await axeFindings(page, { isStrict: false, onlyColours: mode === 'dark' })
    expect({ [mode]: found }).toEqual({ [mode]: [] })
  }
  await show(page, null)
}

/**
 * Runs axe in the current look of the page. Returns the rules and elements of its violations, also of minor ones if it is
 * strict. With `onlyColours`, for a look that differs only in colours from one that was checked, runs only the rules of colours:
 * the others take most of the time.
 */
export async function axeFindings(
  page: Page,
  { isStrict, onlyColours }: { readonly isStrict: boolean; readonly onlyColours: boolean },
): Promise<readonly string[]> {
  // The debugger evaluates this script, so the content security policy of the page does not block it.
  if (!(await page.evaluate(`typeof axe !== 'undefined'`)))
    await page.evaluate(await readFile(axePath, 'utf8'))
  const violations = await page.evaluate(
    async (rules) => {
      const { axe } = globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }
      // Describing the elements that pass, and sending them to the test, takes longer than the rules.
      const { violations } = await axe.run({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
      return violations.map(({ id, impact, nodes }) => ({ id, impact, nodes }))
    },
    onlyColours ? colourRules : undefined,
  )
  return violations
    .filter(({ impact }) => isStrict || reported.has(impact ?? ''))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
}
