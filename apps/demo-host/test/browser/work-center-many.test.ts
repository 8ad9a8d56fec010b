import { beforeAll, expect } from 'vitest'
import { stageOfFile, test, tolerate } from './harness.ts'
import { notify, rowsOf, scrollUntil, withDatabase } from './many-items.ts'
import { knownCount, workCenter } from './work-center-stage.ts'

const itemCount = 1_020

const stage = stageOfFile()

beforeAll(async () => {
  await withDatabase(stage.demo.databaseUrl, (sql) =>
    notify(sql, { user: 'viewer', count: itemCount, title: 'Invoice % is settled', target: null }),
  )
})

test('users can scroll through more than a thousand items, and a failed request keeps the rows and can be retried', async () => {
  const page = await stage.signIn('viewer', '/work-center')
  const rows = rowsOf(page)
  expect(await knownCount(page)).toBe(99)
  await scrollUntil(page, 300)

  tolerate(page, /ERR_FAILED/)
  await page.route('**/api/work-center/items*', (route) => route.abort())
  const retry = workCenter(page).getByRole('button', { name: 'Try again' })
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 20_000)
        return retry.count()
      },
      { timeout: 60_000 },
    )
    .toBe(1)
  const kept = await rows.count()
  expect(kept).toBeGreaterThanOrEqual(300)
  await page.unroute('**/api/work-center/items*')
  await retry.click()
  await scrollUntil(page, itemCount)
  const ids = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-id')))
  expect(new Set(ids).size).toBe(ids.length)
})

test('the focus stays in the list when its next page is loaded again by itself', async () => {
  const page = await stage.signIn('viewer', '/work-center')
  await rowsOf(page).first().waitFor()
  tolerate(page, /500 \(Internal Server Error\)/)
  const nextPage = /work-center\/items.*cursor=/
  await page.route(nextPage, (route) => route.fulfill({ status: 500, json: { code: 'internal' } }))
  const retry = workCenter(page).getByRole('button', { name: 'Try again' })
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 20_000)
      return retry.count()
    })
    .toBe(1)
  await retry.focus()
  await page.unroute(nextPage)
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await retry.waitFor({ state: 'detached' })
  expect(await workCenter(page).evaluate((one) => one.matches(':focus-within'))).toBe(true)
})

test('a selection of the most items that fit into one request can be cleared with the box of all items', async () => {
  const page = await stage.signIn('viewer', '/work-center')
  await scrollUntil(page, 101)
  const all = workCenter(page).locator('#select-all')
  await all.click()
  await workCenter(page).getByText('100 selected').waitFor()
  await all.click()
  await workCenter(page).getByText('Select all').waitFor()
  expect(await workCenter(page).locator('li[data-id] input:checked').count()).toBe(0)
})

test('items show their text as plain text and have links only to targets that the page knows', async () => {
  const page = await stage.signIn('auditor', '/preferences')
  const knownBefore = await knownCount(page)
  await withDatabase(stage.demo.databaseUrl, async (sql) => {
    await notify(sql, {
      user: 'auditor',
      count: 1,
      title: hostile,
      target: { code: 'javascript:alert(1)', parameters: {} },
    })
  })
  await page.goto(`${stage.demo.url}/work-center`)
  const row = workCenter(page).locator('li[data-id]').filter({ hasText: 'onerror' })
  await row.waitFor()
  expect(await knownCount(page)).toBe(knownBefore + 1)
  expect(await row.locator('img, a, script').count()).toBe(0)
  expect(await row.locator('.title').textContent()).toBe(hostile.replace('%', '1'))
  await row.locator('.title button').click()
  await row.waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/work-center')
})

const hostile = '<img src=x onerror=alert(%)> \u202egnp.exe <a href="javascript:alert(1)">'
