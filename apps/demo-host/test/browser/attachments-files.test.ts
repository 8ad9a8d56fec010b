import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { attach, type Target } from '../uploads.ts'
import {
  type AttachmentsStage,
  fileNamesOf,
  namesOf,
  openAttachmentsStage,
  panelOf,
  threeFiles,
} from './attachments-stage.ts'
import { expectNoSeriousViolations, screenshot, test, tolerate } from './harness.ts'
import { zipEntries } from './zip-entries.ts'

let stage: AttachmentsStage

beforeAll(async () => {
  stage = await openAttachmentsStage({ Attachments__MaxActivePerObject: '200' })
})
afterAll(() => stage?.close())

const isDownload = (request: Request) =>
  request.method() === 'GET' && request.url().startsWith(stage.proxy.url)

/** Holds the store's answers to a page until the returned function is called. */
async function holdDownloads(page: Page): Promise<() => void> {
  const letGo = Promise.withResolvers<void>()
  await page.route(`${stage.proxy.url}/**`, async (route) => {
    await letGo.promise
    await route.continue()
  })
  return letGo.resolve
}

/** Makes the store's downloads of a page fail or wait. */
const routeDownloads = (page: Page, answer: 'abort' | 'wait') =>
  page.route(`${stage.proxy.url}/**`, (route, request) => {
    if (!isDownload(request)) return route.continue()
    return answer === 'abort' ? route.abort() : new Promise(() => {})
  })

test('the list can be searched and ordered, and each row has the icon of its type', async () => {
  const shown = await panelOf(stage, ...threeFiles)
  const { panel, files } = shown
  await panel.getByRole('heading', { name: '3 files, 20 bytes' }).waitFor()
  const order = panel.getByLabel('Order')
  const expected = {
    newest: ['invoice 9.pdf', 'Übersicht.csv', 'invoice 10.pdf'],
    oldest: ['invoice 10.pdf', 'Übersicht.csv', 'invoice 9.pdf'],
    name: ['invoice 9.pdf', 'invoice 10.pdf', 'Übersicht.csv'],
    size: ['Übersicht.csv', 'invoice 9.pdf', 'invoice 10.pdf'],
    type: ['Übersicht.csv', 'invoice 9.pdf', 'invoice 10.pdf'],
  }
  for (const [sort, inOrder] of Object.entries(expected)) {
    await order.selectOption(sort)
    await expect.poll(() => namesOf(shown)).toEqual(inOrder)
  }
  const icons = files.locator('.kind svg[aria-hidden=true]')
  const drawings = await icons.evaluateAll((all) => all.map((one) => one.innerHTML))
  expect(drawings[1]).toBe(drawings[2])
  expect(drawings[0]).not.toBe(drawings[1])
  await panel.getByRole('searchbox', { name: 'Search files' }).fill('ubersicht')
  await expect.poll(() => namesOf(shown)).toEqual(['Übersicht.csv'])
  await panel.getByRole('heading', { name: '1 file shown, 12 bytes.' }).waitFor()
  await panel.getByRole('searchbox').fill('nothing')
  await panel.getByText('No file matches your search.').waitFor()
})

let many: Promise<Target> | undefined

/** Returns an object with 101 files, one more than a page. The oldest is `the oldest.txt`. */
function objectWithManyFiles(): Promise<Target> {
  const create = async () => {
    const target = await stage.newTarget()
    const request = await stage.demo.as('clerk')
    const attachOne = (fileName: string) =>
      attach(request, target, { fileName, contentType: 'text/plain', bytes: Buffer.from('x') })
    await attachOne('the oldest.txt')
    await Promise.all(Array.from({ length: 100 }, (_, index) => attachOne(`${index}.txt`)))
    return target
  }
  many ??= create()
  return many
}

test('a download of all files contains those of later pages', async () => {
  const { page, panel } = await stage.openPanel('clerk', await objectWithManyFiles())
  const downloadAll = panel.getByRole('button', { name: 'Download all' })
  const isSecondPage = (url: URL) => url.pathname === '/api/attachments' && url.searchParams.has('cursor')
  tolerate(page, /500 \(Internal Server Error\)/)
  await page.route(isSecondPage, (route) => route.fulfill({ status: 500, json: { code: 'internal' } }))
  await downloadAll.click()
  await panel.getByText('Could not load more.').waitFor()
  await page.unroute(isSecondPage)

  // The user does not wait until the second page is loaded.
  const answer = Promise.withResolvers<void>()
  await page.route(isSecondPage, async (route) => {
    await answer.promise
    await route.continue()
  })
  const retried = page.waitForRequest((request) => isSecondPage(new URL(request.url())))
  await panel.getByRole('button', { name: 'Try again' }).click()
  await retried
  const downloaded = page.waitForEvent('download')
  await downloadAll.click()
  answer.resolve()
  const names = Object.keys(await zipEntries(await (await downloaded).path()))
  expect(names).toHaveLength(101)
  expect(names).toContain('the oldest.txt')
})

test('a search loads all pages, and the heading states that there are more files until then', async () => {
  const { panel, files } = await stage.openPanel('clerk', await objectWithManyFiles())
  await panel.getByRole('heading', { name: '100 files shown, 100 bytes. There are more files.' }).waitFor()
  await panel.getByRole('searchbox').fill('oldest')
  await files.getByText('the oldest.txt').waitFor()
  await panel.getByRole('searchbox').fill('')
  await panel.getByRole('heading', { name: '101 files, 101 bytes' }).waitFor()
})

test('files can be selected with the keyboard and downloaded as one archive', async () => {
  const { page, panel, files } = await panelOf(stage, ...threeFiles, ['a.txt', 'four'], ['A.TXT', 'five'])
  await panel.getByText('Select all').waitFor()
  const all = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'Download all' }).click()
  expect((await all).suggestedFilename()).toBe('Attachments.zip')
  const packed = await zipEntries(await (await all).path())
  // Names differ by more than case, because some systems ignore case.
  expect(Object.keys(packed)).toEqual([
    'A.TXT',
    'a (2).txt',
    ...threeFiles.map(([name]) => name).toReversed(),
  ])
  await files.nth(1).getByRole('checkbox').focus()
  await page.keyboard.press('Space')
  await files.nth(3).getByRole('checkbox').focus()
  await page.keyboard.press('Shift+Space')
  await panel.getByText('3 files selected').waitFor()
  await screenshot(page, 'attachments-selected')
  await expectNoSeriousViolations(page)
  const some = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'Download', exact: true }).click()
  const entries = await zipEntries(await (await some).path())
  expect(Object.entries(entries).map(([name, bytes]) => [name, bytes.toString()])).toEqual([
    ['a.txt', 'four'],
    ['invoice 9.pdf', 'three'],
    ['Übersicht.csv', 'two and more'],
  ])
})

test('the end of a download leaves the focus where the user is working', async () => {
  const { page, panel } = await panelOf(stage, ...threeFiles)
  const letGo = await holdDownloads(page)
  const all = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'Download all' }).click()
  await panel.getByText('0 of 3 files downloaded').waitFor()
  // A click on the empty page leaves the focus to nobody.
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  letGo()
  await all
  await panel.getByRole('button', { name: 'Cancel download' }).waitFor({ state: 'detached' })
  await panel.evaluate((element) => Reflect.get(element, 'updateComplete'))
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true)
})

test('if the button with the focus disappears at the end of a download, the focus stays in the panel', async () => {
  const { page, panel } = await panelOf(stage, ...threeFiles)
  const letGo = await holdDownloads(page)
  await panel.getByRole('button', { name: 'Download all' }).click()
  const cancel = panel.getByRole('button', { name: 'Cancel download' })
  await cancel.focus()
  letGo()
  await cancel.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).toBe('vk-attachments')
})

test('a download goes on while the page moves the panel', async () => {
  const { page, panel } = await panelOf(stage, ...threeFiles)
  const letGo = await holdDownloads(page)
  const all = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'Download all' }).click()
  await panel.getByText('0 of 3 files downloaded').waitFor()
  await page.locator('vk-attachments').evaluate((one) => one.parentElement?.append(one))
  letGo()
  expect(Object.keys(await zipEntries(await (await all).path()))).toHaveLength(3)
})

test('a download goes on after the panel is closed', async () => {
  const { page, panel } = await panelOf(stage, ...threeFiles)
  const answer = Promise.withResolvers<void>()
  const isAddress = /\/api\/attachments\/[^/]+\/download/
  await page.route(isAddress, async (route) => {
    await answer.promise
    await route.continue()
  })
  const asked = page.waitForRequest(isAddress)
  await panel.getByRole('button', { name: 'Download invoice 9.pdf' }).click()
  await asked
  await page.locator('vk-attachments').evaluate((one) => one.remove())
  const download = page.waitForEvent('download')
  answer.resolve()
  expect((await download).suggestedFilename()).toBe('invoice 9.pdf')
})

test('the download of one file does not end that of several', async () => {
  const { page, panel } = await panelOf(stage, ...threeFiles)
  const letGo = await holdDownloads(page)
  await panel.getByRole('button', { name: 'Download all' }).click()
  await panel.getByText('0 of 3 files downloaded').waitFor()
  const names: string[] = []
  page.on('download', (download) => names.push(download.suggestedFilename()))
  await panel.getByRole('button', { name: 'Download invoice 9.pdf' }).click()
  letGo()
  await expect.poll(() => names.toSorted()).toEqual(['Attachments.zip', 'invoice 9.pdf'])
})

test('an archive names the files that are missing in it, and so does the panel', async () => {
  const { page, panel, files } = await panelOf(stage, ...threeFiles, [
    'MISSING FILES.txt',
    'of an earlier archive',
  ])
  tolerate(page, /net::ERR_FAILED/)
  const id = (await files.filter({ hasText: 'csv' }).getAttribute('data-id')) ?? ''
  await page.route(`${stage.proxy.url}/**/${id}**`, (route) => route.abort())
  const saved = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'Download all' }).click()
  const entries = await zipEntries(await (await saved).path())
  expect(Object.keys(entries)).toEqual([
    'MISSING FILES.txt',
    'invoice 9.pdf',
    'invoice 10.pdf',
    'MISSING FILES (2).txt',
  ])
  expect(entries['MISSING FILES (2).txt']?.toString()).toContain('Übersicht.csv')
  const alert = panel.getByRole('alert').filter({ hasText: 'missing' })
  expect(await alert.innerText()).toContain('1 of 4 files are missing in the download: Übersicht.csv')
  await expectNoSeriousViolations(page)
  await page.unrouteAll()
  const again = page.waitForEvent('download')
  await alert.getByRole('button', { name: 'Try again' }).click()
  expect((await again).suggestedFilename()).toBe('Übersicht.csv')
  await expect.poll(() => alert.count()).toBe(0)
})

test('no archive is saved if no file can be loaded, or if the user cancels the download', async () => {
  const { page, panel } = await panelOf(stage, ...threeFiles)
  tolerate(page, /net::ERR_FAILED/)
  const downloads: unknown[] = []
  page.on('download', (download) => downloads.push(download))
  await routeDownloads(page, 'wait')
  await panel.getByRole('button', { name: 'Download all' }).click()
  await panel.getByText('0 of 3 files downloaded').waitFor()
  await expectNoSeriousViolations(page)
  await panel.getByRole('button', { name: 'Cancel download' }).click()
  await expect.poll(() => panel.getByText('0 of 3 files downloaded').count()).toBe(0)
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('vk-attachments')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await routeDownloads(page, 'abort')
  await panel.getByRole('button', { name: 'Download all' }).click()
  await panel.getByText('No file could be downloaded:').waitFor()
  expect(downloads).toEqual([])
})

test('several files can be deleted after one confirmation, and restored with one Undo', async () => {
  const shown = await panelOf(stage, ...threeFiles)
  const { page, panel, target } = shown
  await panel.getByRole('checkbox', { name: 'Select invoice 10.pdf' }).check()
  await panel.getByRole('checkbox', { name: 'Select Übersicht.csv' }).check()
  await panel.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = panel.getByRole('dialog', { name: 'Delete 2 files?' })
  await dialog.waitFor()
  expect((await dialog.innerText()).replace(/[\u2068\u2069]/g, '')).toContain(
    'Übersicht.csv, invoice 10.pdf will',
  )
  await expectNoSeriousViolations(page)
  const confirm = dialog.getByRole('button', { name: 'Delete' })
  await confirm.click()
  await expect.poll(() => namesOf(shown)).toEqual(['invoice 9.pdf'])
  const messages = page.getByRole('region', { name: 'Messages' })
  await messages.getByText('2 files were deleted.').waitFor()
  await messages.getByRole('button', { name: /^Undo/ }).click()
  await expect.poll(() => namesOf(shown)).toHaveLength(3)
  await panel.getByRole('button', { name: 'Delete', exact: true }).click()
  await confirm.click()
  await messages.getByRole('button', { name: /^Close/ }).click()
  await expect.poll(() => fileNamesOf(stage, target)).toEqual(['invoice 9.pdf'])
})

test('a page can open a file itself when the user clicks its name', async () => {
  const { page, panel } = await panelOf(stage, ['report.pdf', 'one', 'application/pdf'])
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'report.pdf', exact: true }).click(),
  ])
  expect(download.suggestedFilename()).toBe('report.pdf')
  await page.evaluate(() =>
    document.addEventListener('vk-open', (event) => {
      event.preventDefault()
      document.title = (event as CustomEvent<{ fileName: string }>).detail.fileName
    }),
  )
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await panel.getByRole('button', { name: 'report.pdf', exact: true }).click()
  await expect.poll(() => page.title()).toBe('report.pdf')
  expect(requests.filter((url) => url.endsWith('/download'))).toEqual([])
})
