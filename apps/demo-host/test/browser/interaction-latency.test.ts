import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { stageOfFile, test } from './harness.ts'
import { hasPainted, interactionsDuring } from './interaction-trace.ts'
import { notify, rowsOf, scrollUntil, withDatabase } from './many-items.ts'
import { openFilters, workCenter } from './work-center-stage.ts'

const stage = stageOfFile()

// Each round dismisses some items, and there can be many rounds on a busy machine.
beforeAll(() =>
  withDatabase(stage.demo.databaseUrl, (sql) =>
    notify(sql, { user: 'viewer', count: 2_000, title: 'Invoice % is settled', target: null }),
  ),
)

test('with 1,000 rows, the page responds to keys and clicks within 100 ms', {
  timeout: 300_000,
}, async () => {
  const page = await stage.signIn('viewer', '/work-center')
  // Load of other programs also delays threads outside of the page, so the best round counts.
  await expect
    .poll(
      async () => {
        // A list that shrinks from round to round would pass, however slow each row is.
        await scrollUntil(page, 1_000)
        const interactions = await interactionsDuring(page, () => moveSelectAndDismiss(page))
        expect(interactions.length).toBeGreaterThanOrEqual(60)
        return ignoringOneIn50(interactions.map(({ responseMs }) => responseMs))
      },
      { timeout: 180_000, interval: 0 },
    )
    .toBeLessThanOrEqual(100)

  // The result replaces the 1,000 rows, so there is one round only, and its CPU time counts.
  const typed = await interactionsDuring(page, () => search(page, 'Invoice 7'))
  expect(typed.length).toBeGreaterThanOrEqual(5)
  expect(Math.max(...typed.map(({ cpuMs }) => cpuMs))).toBeLessThanOrEqual(100)
})

/** Returns *Interaction to Next Paint*: as in Core Web Vitals, one interaction in 50 is ignored. */
const ignoringOneIn50 = (times: readonly number[]): number =>
  times.toSorted((one, other) => other - one)[Math.floor(times.length / 50)] ?? Number.NaN

async function moveSelectAndDismiss(page: Page): Promise<void> {
  await moveAndSelect(page)
  await openMenus(page)
  await dismiss(page)
}

async function moveAndSelect(page: Page): Promise<void> {
  await focus(page, rowsOf(page).first())
  await press(page, 'j', 20)
  await press(page, 'x', 2)
  await press(page, 'k', 10)
  await press(page, 'Shift+ArrowDown', 10)
  for (let n = 0; n < 5; n += 1) await rowsOf(page).nth(n).getByRole('checkbox').click()
  const all = workCenter(page).getByRole('checkbox', { name: /selected/ })
  await all.click()
  await all.click()
}

/** Opens and closes the menu of the user, the list of shortcuts and the filters. */
async function openMenus(page: Page): Promise<void> {
  const user = page.getByRole('button', { name: /account and appearance/ })
  await user.click()
  await user.click()
  await focus(page, rowsOf(page).nth(1))
  await press(page, '?', 1)
  await press(page, 'Escape', 1)
  await openFilters(page)
}

async function dismiss(page: Page): Promise<void> {
  const row = rowsOf(page).nth(1)
  const id = await row.getAttribute('data-id')
  await focus(page, row)
  await press(page, 'e', 1)
  await press(page, 'j', 3)
  await workCenter(page).locator(`[data-id="${id}"]`).waitFor({ state: 'detached' })
}

async function search(page: Page, text: string): Promise<void> {
  await workCenter(page).getByRole('searchbox').click()
  await page.keyboard.type(text)
  await expect.poll(() => rowsOf(page).count()).toBeLessThan(1_000)
}

/** Moves the focus. The list may scroll from its end to its start, which no key or click of the user does. */
async function focus(page: Page, row: Locator): Promise<void> {
  await row.focus()
  await hasPainted(page)
}

async function press(page: Page, key: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await page.keyboard.press(key)
}
