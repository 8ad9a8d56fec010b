import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type AttachmentsStage, openAttachmentsStage } from './attachments-stage.ts'
import { expectNoSeriousViolations, test } from './harness.ts'

let stage: AttachmentsStage
let folder: string

beforeAll(async () => {
  stage = await openAttachmentsStage()
  folder = await mkdtemp(join(tmpdir(), 'vk-drop-'))
  await writeFile(join(folder, 'report.txt'), 'text')
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await stage.close()
})

interface Place {
  readonly x: number
  readonly y: number
}

/** Drags a file or folder of the computer over a page, like a user does. Returns a function that drops it there. */
async function drag(page: Page, path: string, place: Place): Promise<() => Promise<void>> {
  const browser = await page.context().newCDPSession(page)
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    browser.send('Input.dispatchDragEvent', { type, data, ...place })
  await send('dragEnter')
  await send('dragOver')
  return async () => {
    await send('dragOver')
    await send('drop')
  }
}

const report = () => join(folder, 'report.txt')
const bottom: Place = { x: 1_200, y: 780 }

test('a file that is dropped below the panel is uploaded', async () => {
  const { page, panel, files } = await stage.openPanel('clerk', await stage.newTarget())
  await panel.getByText('No files yet.').waitFor()
  const { y = 0, height = 0 } = (await panel.boundingBox()) ?? {}
  expect(y + height).toBeLessThan(bottom.y)
  const drop = await drag(page, report(), bottom)
  await panel.getByText('Drop the files here.').waitFor()
  await drop()
  await files.getByText('report.txt').waitFor()
  await panel.getByText('or drop or paste them here.').waitFor()
})

test('a hidden panel accepts no files', async () => {
  const { page, panel, files } = await stage.openPanel('clerk', await stage.newTarget())
  await panel.getByText('No files yet.').waitFor()
  const show = (display: string) =>
    page.locator('vk-attachments').evaluate((one, value) => one.style.setProperty('display', value), display)
  let count = 0
  page.on('request', (request) => {
    count += Number(request.url().endsWith('/uploads'))
  })
  await show('none')
  await (await drag(page, report(), bottom))()
  await show('')
  await panel.getByText('No files yet.').waitFor()
  expect(count).toBe(0)
  await (await drag(page, report(), bottom))()
  await files.getByText('report.txt').waitFor()
  expect(count).toBe(1)
})

test('a dropped folder is refused with an explanation', async () => {
  const { page, panel, files } = await stage.openPanel('clerk', await stage.newTarget())
  await panel.getByText('No files yet.').waitFor()
  await (await drag(page, folder, bottom))()
  await panel.getByRole('alert').getByText('Folders cannot be attached.').waitFor()
  await expectNoSeriousViolations(page)
  await (await drag(page, report(), bottom))()
  await files.getByText('report.txt').waitFor()
  expect(await panel.getByText('Folders cannot be attached.').count()).toBe(0)
})

test('files that are dragged over a document open its attachments, and a drop uploads them', async () => {
  const target = await stage.newTarget()
  const page = await stage.signIn('clerk', `/items/${target.id}`)
  await page.getByRole('button', { name: 'Attachments: 0' }).waitFor()
  const drop = await drag(page, report(), { x: 600, y: 700 })
  const panel = page.locator('vk-attachments')
  await panel.getByText('Drop the files here.').or(panel.getByText('No files yet.')).first().waitFor()
  await drop()
  await panel.getByRole('list', { name: 'Attachments' }).getByText('report.txt').waitFor()
})

test('if nobody accepts a dropped file, the page stays open', async () => {
  for (const [user, path] of [
    ['clerk', '/items'],
    ['viewer', `/items/${(await stage.newTarget()).id}`],
  ] as const) {
    const page = await stage.signIn(user, path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await (await drag(page, report(), bottom))()
    expect(new URL(page.url()).pathname).toBe(path)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(page.context().pages()).toHaveLength(1)
  }
})
