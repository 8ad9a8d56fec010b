import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { agePanelDrafts, kept } from './attachments-kept.ts'
import {
  type AttachmentsStage,
  fileOf,
  openAttachmentsStage,
  openDrawer,
  type Panel,
} from './attachments-stage.ts'
import { expectNoSeriousViolations, screenshot, signIn, test, tolerate } from './harness.ts'

let stage: AttachmentsStage

beforeAll(async () => {
  stage = await openAttachmentsStage()
})
afterAll(() => stage?.close())
afterEach(() => stage.proxy.release())

/** The proxy forwards this many bytes, which include the preflight requests and only part of the file. */
const heldAfterBytes = 200_000

/** Returns for each upload the part of the file that was sent, as a number from 0 to 1. */
const shares = ({ uploads }: Panel) =>
  uploads
    .locator('progress')
    .evaluateAll((bars) => bars.map((bar) => (bar instanceof HTMLProgressElement ? bar.value / bar.max : 0)))

const untilInTheMiddle = (panel: Panel, count: number) =>
  expect.poll(async () => (await shares(panel)).filter((share) => share > 0 && share < 1).length).toBe(count)

const transfers = () => stage.proxy.heads.filter((head) => head.startsWith('PUT')).length

test('three concurrent uploads show their progress, one can be cancelled, and the other two complete', async () => {
  const target = await stage.newTarget()
  await stage.attach(target, 'contract.pdf', Buffer.alloc(180_000), 'application/pdf')
  const panel = await stage.openPanel('clerk', target)
  stage.proxy.hold(heldAfterBytes)
  await panel.addLarge('a.bin', 'b.bin', 'c.bin')
  await untilInTheMiddle(panel, 3)
  await expectNoSeriousViolations(panel.page)
  await panel.panel.getByRole('button', { name: 'Cancel the upload of b.bin' }).click()
  await expect.poll(() => panel.uploads.count()).toBe(2)
  await screenshot(panel.page, 'attachments')
  stage.proxy.release()
  await expect.poll(() => panel.uploads.count()).toBe(0)
  expect((await panel.files.locator('bdi.name').allTextContents()).toSorted()).toEqual([
    'a.bin',
    'c.bin',
    'contract.pdf',
  ])
})

test('if the connection is lost during an upload, the panel shows an error, and trying again sends the file', async () => {
  const panel = await stage.openPanel('clerk', await stage.newTarget())
  tolerate(panel.page, /net::ERR_/)
  stage.proxy.hold(heldAfterBytes)
  await panel.addLarge('a.bin')
  await untilInTheMiddle(panel, 1)
  stage.proxy.cut()
  await panel.panel.getByRole('alert').getByText('The file could not be transferred.').waitFor()
  await expectNoSeriousViolations(panel.page)
  stage.proxy.release()
  await panel.panel.getByRole('button', { name: 'Try again: upload a.bin' }).click()
  await panel.files.getByText('a.bin').waitFor()
})

test.each([
  ['a file', 'text'],
  ['an empty file', ''],
])(
  '%s that was deleted after it was chosen is not blamed on the network, and cannot be tried again',
  async (_, text) => {
    const { page, panel, uploads } = await stage.openPanel('clerk', await stage.newTarget())
    tolerate(page, /net::ERR_FILE_NOT_FOUND/)
    const folder = await mkdtemp(join(tmpdir(), 'vk-deleted-'))
    const path = join(folder, 'report.txt')
    await writeFile(path, text)
    await page.route('**/api/attachments/uploads', async (route) => {
      await rm(folder, { recursive: true })
      await route.continue()
    })
    await panel.locator('input[type=file]').setInputFiles(path)
    await panel.getByRole('alert').getByText('The file cannot be read.').waitFor()
    expect(await panel.getByRole('button', { name: /^Try again/ }).count()).toBe(0)
    await panel.getByRole('button', { name: 'Dismiss the upload of report.txt' }).click()
    await expect.poll(() => uploads.count()).toBe(0)
  },
)

test('a file that is too large is refused, and the message contains the limit and can be dismissed', async () => {
  const panel = await stage.openPanel('clerk', await stage.newTarget())
  tolerate(panel.page, /400 \(Bad Request\)/)
  // The file has 53 MB, which is more than the limit. It is never sent.
  await panel.panel.locator('vk-drop-zone').evaluate((zone) => {
    const large = new File(Array(53).fill(new Uint8Array(1_000_000)), 'large.bin')
    zone.dispatchEvent(new CustomEvent('vk-files', { detail: [large] }))
  })
  await panel.panel.getByText('The file is too large. The limit is 52 MB.').waitFor()
  expect(await panel.panel.getByRole('button', { name: /^Try again/ }).count()).toBe(0)
  await panel.panel.getByRole('button', { name: 'Dismiss the upload of large.bin' }).click()
  await expect.poll(() => panel.uploads.count()).toBe(0)
  await expect.poll(() => kept(panel.page)).not.toContain('large.bin')
})

test('after a reload during an upload, the same user can resume the upload', async () => {
  const panel = await stage.openPanel('clerk', await stage.newTarget())
  tolerate(panel.page, /409 \(Conflict\)/)
  stage.proxy.hold(heldAfterBytes)
  await panel.addLarge('a.bin')
  await untilInTheMiddle(panel, 1)
  await panel.page.reload()
  const after = await openDrawer(panel.page)
  await after.panel.getByText('This upload was interrupted.').waitFor()
  const browserKeeps = await kept(after.page)
  expect(browserKeeps).toContain('file a.bin')
  expect(browserKeeps).not.toMatch(/X-Amz|Signature/i)
  stage.proxy.release()
  await after.panel.getByRole('button', { name: 'Resume the upload of a.bin' }).click()
  await after.files.getByText('a.bin').waitFor()
  await expect.poll(() => kept(after.page)).not.toContain('a.bin')
})

/** Opens a page with an upload of `a.bin` that the store has received, but whose completion has failed. */
async function openIncomplete(): Promise<Page> {
  const panel = await stage.openPanel('clerk', await stage.newTarget())
  const { page } = panel
  tolerate(page, /net::ERR_FAILED/)
  await page.route('**/complete', (route) => route.abort())
  await panel.add(fileOf('a.bin', 10))
  await panel.panel.getByRole('alert').getByText('The service cannot be reached.').waitFor()
  await page.unroute('**/complete')
  return page
}

test('a resumed upload does not send the file again if the store already has it', async () => {
  const page = await openIncomplete()
  const transfersBefore = transfers()
  await page.reload()
  const after = await openDrawer(page)
  await after.panel.getByRole('button', { name: 'Resume the upload of a.bin' }).click()
  await after.files.getByText('a.bin').waitFor()
  expect(transfers()).toBe(transfersBefore)
})

test('an interrupted upload is found with the next upload if the part that runs uploads was missing', async () => {
  const page = await openIncomplete()
  const part = '**/assets/running-uploads-*.js'
  await page.route(part, (route) => route.abort())
  const missing = page.waitForEvent('requestfailed', (request) => request.url().includes('running-uploads'))
  await page.reload()
  const after = await openDrawer(page)
  await missing
  expect(await after.uploads.count()).toBe(0)
  await page.unroute(part)
  await after.add(fileOf('b.bin', 10))
  await after.files.getByText('b.bin').waitFor()
  await after.panel.getByRole('button', { name: 'Resume the upload of a.bin' }).click()
  await after.files.getByText('a.bin').waitFor()
})

test('the browser discards an interrupted upload after a week', async () => {
  const panel = await stage.openPanel('clerk', await stage.newTarget())
  stage.proxy.hold(heldAfterBytes)
  await panel.addLarge('a.bin')
  await untilInTheMiddle(panel, 1)
  await agePanelDrafts(panel.page, 8)
  await panel.page.reload()
  const after = await openDrawer(panel.page)
  await expect.poll(() => kept(after.page)).not.toContain('a.bin')
  expect(await after.uploads.count()).toBe(0)
})

test('an interrupted upload of another tab can be resumed only after that tab is closed', async () => {
  const panel = await stage.openPanel('clerk', await stage.newTarget())
  stage.proxy.hold(heldAfterBytes)
  await panel.addLarge('a.bin')
  await untilInTheMiddle(panel, 1)
  const otherTab = await panel.page.context().newPage()
  await otherTab.goto(panel.page.url())
  const other = await openDrawer(otherTab)
  await other.panel.getByText('No files yet.').waitFor()
  expect(await other.uploads.count()).toBe(0)
  await panel.page.close()
  await other.panel.getByText('This upload was interrupted.').waitFor()
})

test('an interrupted upload is removed and never shown to the next user of the browser', async () => {
  const target = await stage.newTarget()
  const panel = await stage.openPanel('clerk', target)
  stage.proxy.hold(heldAfterBytes)
  await panel.addLarge('confidential.bin')
  await untilInTheMiddle(panel, 1)
  const { page } = panel
  // End the session without a sign-out, so the page does not remove the stored upload. A request before the reload has no token.
  tolerate(page, /401 \(Unauthorized\)/)
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (key.includes('oidc')) localStorage.removeItem(key)
  })
  await page.reload()
  await signIn(page, 'clerk2')
  await page.goto(`${stage.demo.url}/items/${target.id}`)
  await page.locator('demo-frame').waitFor()
  const next = await openDrawer(page)
  await next.panel.getByText('No files yet.').waitFor()
  expect(await next.uploads.count()).toBe(0)
  const browserKeeps = await kept(page)
  expect(browserKeeps).not.toContain('confidential')
  expect(browserKeeps).not.toContain('upload/')
})

test('an upload continues while the panel of the attachments is closed', async () => {
  const panel = await stage.openPanel('clerk', await stage.newTarget())
  stage.proxy.hold(heldAfterBytes)
  await panel.addLarge('a.bin')
  await untilInTheMiddle(panel, 1)
  await panel.page.getByRole('button', { name: /^Attachments/ }).click()
  await panel.panel.waitFor({ state: 'detached' })
  stage.proxy.release()
  await panel.page.getByRole('button', { name: /^Attachments.*1/ }).waitFor()
  await (await openDrawer(panel.page)).files.getByText('a.bin').waitFor()
})
