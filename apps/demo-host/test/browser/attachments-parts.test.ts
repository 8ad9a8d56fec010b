import { afterAll, beforeAll, expect } from 'vitest'
import { kept } from './attachments-kept.ts'
import { type AttachmentsStage, openAttachmentsStage, openDrawer } from './attachments-stage.ts'
import { test, tolerate } from './harness.ts'

let stage: AttachmentsStage

beforeAll(async () => {
  stage = await openAttachmentsStage()
})
afterAll(() => stage?.close())

const mebibyte = 1_048_576

/** Returns the numbers of the parts that the page has sent to the store since the given request, in ascending order. */
const sentParts = (since: number): readonly string[] =>
  stage.proxy.heads
    .slice(since)
    .flatMap((head) => (head.startsWith('PUT') ? [/partNumber=(\d+)/.exec(head)?.[1] ?? 'whole'] : []))
    .toSorted()

test('after a reload, a large file is resumed with the parts that the store does not have', async () => {
  const panel = await stage.openPanel('clerk', await stage.newTarget())
  const { page } = panel
  tolerate(page, /409 \(Conflict\)/)
  // The last two of five parts do not reach the store.
  let isBlocked = true
  await page.route(/partNumber=[45]&/, (route) => (isBlocked ? undefined : route.continue()))
  const since = stage.proxy.heads.length
  // The progress shows sent bytes, which the store may not have yet.
  const stored = [1, 2, 3].map((number) =>
    page.waitForResponse((response) => response.url().includes(`partNumber=${number}&`) && response.ok()),
  )
  await panel.addOfSize(22 * mebibyte, 'large.bin')
  const progress = panel.uploads.locator('progress')
  await expect
    .poll(() => progress.evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('value')))))
    .toEqual([15 * mebibyte])
  await Promise.all(stored)
  expect(sentParts(since)).toEqual(['1', '2', '3'])
  await page.reload()
  // Only now: without the route, the browser would send the blocked requests before the reload cancels them.
  isBlocked = false
  const after = await openDrawer(page)
  await after.panel.getByRole('button', { name: 'Resume the upload of large.bin' }).click()
  await after.files.getByText('large.bin').waitFor()
  expect(sentParts(since)).toEqual(['1', '2', '3', '4', '5'])
  await expect.poll(() => kept(page)).not.toContain('large.bin')
})
