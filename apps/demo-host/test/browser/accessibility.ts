import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const reported = new Set(['serious', 'critical'])

/**
 * Checks the page with axe in light and dark mode. Fails if axe reports serious or critical violations. The error lists
 * the rules and elements of these violations.
 */
export async function expectNoSeriousViolations(page: Page): Promise<void> {
  const source = await readFile(axePath, 'utf8')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect({ [colorScheme]: await findings(page, source) }).toEqual({ [colorScheme]: [] })
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
}

async function findings(page: Page, axeSource: string): Promise<readonly string[]> {
  // The debugger evaluates this script, so the content security policy of the page does not block it.
  await page.evaluate(`if (typeof axe === 'undefined') {${axeSource}}`)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  )
  return violations
    .filter(({ impact }) => reported.has(impact ?? ''))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
}
