import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import {
  type AttachmentsStage,
  fileNamesOf,
  fileOf,
  namesOf,
  openAttachmentsStage,
  openDrawer,
  panelOf,
  threeFiles,
} from './attachments-stage.ts'
import { expectNoSeriousViolations, screenshot, test, tolerate } from './harness.ts'

let stage: AttachmentsStage

beforeAll(async () => {
  stage = await openAttachmentsStage()
})
afterAll(() => stage?.close())
afterEach(() => stage.proxy.release())

test('twenty files at once show their overall progress, and then their number and size', async () => {
  const { page, panel, files, uploads, add, addLarge } = await panelOf(stage)
  stage.proxy.hold(200_000)
  await addLarge('large 1.bin', 'large 2.bin', 'large 3.bin')
  await add(...Array.from({ length: 17 }, (_, index) => fileOf(`small ${index}.txt`, 1_000)))
  await expect.poll(() => uploads.count()).toBe(20)
  await panel.getByText('0 of 20 files uploaded').waitFor()
  const all = panel.getByRole('progressbar', { name: 'All uploads' })
  await expect.poll(() => all.evaluate((bar: HTMLProgressElement) => bar.value)).toBeGreaterThan(0)
  expect(await all.getAttribute('max')).toBe('36017000')
  await expectNoSeriousViolations(page)
  await screenshot(page, 'attachments-twenty')
  stage.proxy.release()
  await panel.getByRole('heading', { name: '20 files, 36 MB' }).waitFor()
  expect(await files.count()).toBe(20)
  expect(await panel.getByText('files uploaded').count()).toBe(0)
})

test('all uploads can be cancelled at once, and tried again at once after a failure', async () => {
  const { page, panel, files, uploads, addLarge, target } = await panelOf(stage)
  tolerate(page, /net::ERR_/)
  stage.proxy.hold(200_000)
  await addLarge('a.bin', 'b.bin', 'c.bin', 'd.bin')
  await panel.getByRole('button', { name: 'Cancel all' }).click()
  await panel.getByText('No files yet.').waitFor()
  expect(await uploads.count()).toBe(0)
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('vk-attachments')
  await addLarge('a.bin', 'b.bin')
  stage.proxy.cut()
  await expect.poll(() => panel.getByRole('button', { name: /^Try again: upload/ }).count()).toBe(2)
  await expectNoSeriousViolations(page)
  stage.proxy.release()
  await panel.getByRole('button', { name: 'Try all again' }).click()
  await expect.poll(() => files.count()).toBe(2)
  expect((await fileNamesOf(stage, target)).toSorted()).toEqual(['a.bin', 'b.bin'])
})

test('the panel asks about files with a name that exists, and uploads the other files at once', async () => {
  const shown = await panelOf(stage, ['a.txt', 'one'])
  const { page, panel, add } = shown
  await add(fileOf('a.txt', 5), fileOf('b.txt', 5))
  const dialog = panel.getByRole('dialog', { name: 'A file with this name exists' })
  await dialog.waitFor()
  await expectNoSeriousViolations(page)
  await page.keyboard.press('Escape')
  await expect.poll(() => namesOf(shown)).toEqual(['b.txt', 'a.txt'])
  await add(fileOf('a.txt', 5))
  await dialog.getByRole('button', { name: 'Keep both' }).click()
  await expect.poll(() => namesOf(shown)).toEqual(['a (2).txt', 'b.txt', 'a.txt'])
})

test('an image that is being uploaded has a thumbnail, which needs no blob: in the content security policy', async () => {
  const { page, panel } = await panelOf(stage)
  stage.proxy.hold(0)
  await panel.locator('input[type=file]').evaluate(async (input) => {
    if (!(input instanceof HTMLInputElement)) return
    const canvas = new OffscreenCanvas(300, 200)
    const context = canvas.getContext('2d')
    if (context !== null) context.fillStyle = '#00ff00'
    context?.fillRect(0, 0, 300, 200)
    const data = new DataTransfer()
    data.items.add(new File([await canvas.convertToBlob()], 'photo.png', { type: 'image/png' }))
    data.items.add(new File(['no image'], 'broken.png', { type: 'image/png' }))
    input.files = data.files
    input.dispatchEvent(new Event('change'))
  })
  const thumbnails = panel.locator('vk-thumbnail')
  await panel.locator('vk-thumbnail[drawn]').waitFor()
  const pixel = await thumbnails.first().evaluate(({ shadowRoot }) => {
    const canvas = shadowRoot?.querySelector('canvas')
    return [...(canvas?.getContext('2d')?.getImageData(32, 32, 1, 1).data ?? [])]
  })
  expect(pixel).toEqual([0, 255, 0, 255])
  expect(await thumbnails.nth(1).locator('.kind svg').count()).toBe(1)
  await expectNoSeriousViolations(page)
})

test('every view shows the unfinished uploads, also after a reload, and leads to their document', async () => {
  const { page, panel, files, uploads, addLarge } = await panelOf(stage)
  // The page first asks whether the bytes of an interrupted upload have arrived.
  tolerate(page, /409 \(Conflict\)/)
  stage.proxy.hold(200_000)
  await addLarge('a.bin', 'b.bin')
  await expect.poll(() => uploads.count()).toBe(2)
  const document = page.url()
  await page.getByRole('link', { name: 'Vertical Kit' }).click()
  const notice = page.locator('vk-uploads').getByRole('button')
  await expect.poll(() => notice.innerText()).toMatch(/^0 of 2 files uploaded, \d+\s?%$/)
  await expectNoSeriousViolations(page)
  await page.reload()
  await expect.poll(() => notice.innerText()).toBe('2 uploads stopped')
  await expectNoSeriousViolations(page)
  stage.proxy.release()
  await notice.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toBe(document)
  await panel.getByRole('button', { name: 'Try all again' }).click()
  await expect.poll(() => files.count()).toBe(2)
  await expect.poll(() => notice.count()).toBe(0)
})

test('uploads to several documents are listed, and each entry leads to its document', async () => {
  const { page, uploads, addLarge } = await panelOf(stage)
  stage.proxy.hold(200_000)
  await addLarge('a.bin', 'b.bin')
  await expect.poll(() => uploads.count()).toBe(2)
  const document = page.url()
  await page.getByRole('link', { name: 'Items' }).first().click()
  await page.getByRole('link', { name: 'Item', exact: true }).nth(1).click()
  await expect.poll(() => page.url()).toMatch(/\/items\/[\w-]+$/)
  expect(document).not.toContain(page.url())
  const other = await openDrawer(page)
  await other.addLarge('c.bin')
  await expect.poll(() => other.uploads.count()).toBe(1)
  const notice = page.locator('vk-uploads')
  await notice.getByRole('button', { name: /^0 of 3 files uploaded/ }).focus()
  await page.keyboard.press('Enter')
  await notice.getByRole('button', { name: 'c.bin' }).waitFor()
  await expectNoSeriousViolations(page)
  expect(await notice.evaluate(({ shadowRoot }) => shadowRoot?.activeElement?.textContent?.trim())).toBe(
    'a.bin and 1 more',
  )
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toBe(document)
})

test('the panel fits 320 px, also from right to left, with a row of every kind', async () => {
  const { page, panel, addLarge } = await panelOf(stage, ...threeFiles)
  stage.proxy.hold(200_000)
  await addLarge(`${'long-name-'.repeat(12)}.bin`, 'b.bin')
  await panel.getByText('0 of 2 files uploaded').waitFor()
  await panel.getByText('Select all').click()
  await page.setViewportSize({ width: 320, height: 800 })
  for (const direction of ['ltr', 'rtl']) {
    await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction)
    await expectNoSeriousViolations(page)
    expect(await panel.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  }
})
