import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { targetQuery } from '../uploads.ts'
import { type AttachmentsStage, fileOf, mountPanel, openAttachmentsStage } from './attachments-stage.ts'
import { expectNoSeriousViolations, test, tolerate } from './harness.ts'

let stage: AttachmentsStage

beforeAll(async () => {
  stage = await openAttachmentsStage()
})
afterAll(() => stage?.close())

const dropped = (page: Page) =>
  page.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File(['one'], 'one.txt', { type: 'text/plain' }))
    data.items.add(new File(['two'], 'two.txt', { type: 'text/plain' }))
    return data
  })

test('uploaded files appear in the list with their author, and screen readers announce them', async () => {
  const { panel, files, add } = await stage.openPanel('clerk', await stage.newTarget())
  await panel.getByText('No files yet.').waitFor()
  await add(fileOf('report.pdf', 52_000, 'application/pdf'))
  await expect.poll(() => files.allInnerTexts()).toHaveLength(1)
  expect(await files.first().innerText()).toMatch(/report\.pdf\s+52 kB · Clara Clerk · /)
  expect(await panel.getByRole('status').first().textContent()).toContain('report.pdf was uploaded.')
})

test('files can be dropped anywhere on the panel', async () => {
  const { page, panel, files } = await stage.openPanel('clerk', await stage.newTarget())
  const list = panel.getByText('No files yet.')
  const dataTransfer = await dropped(page)
  await list.dispatchEvent('dragenter', { dataTransfer })
  await list.dispatchEvent('dragover', { dataTransfer })
  await panel.getByText('Drop the files here.').waitFor()
  await list.dispatchEvent('drop', { dataTransfer })
  await panel.getByText('or drop or paste them here.').waitFor()
  await expect.poll(() => files.count()).toBe(2)
})

test('an image can be pasted from the clipboard', async () => {
  const { page, panel, files } = await stage.openPanel('clerk', await stage.newTarget(), {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(8, 8)
    canvas.getContext('2d')?.fillRect(0, 0, 4, 4)
    const image = await canvas.convertToBlob({ type: 'image/png' })
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': image })])
  })
  await panel.getByRole('button', { name: 'Choose files' }).focus()
  await page.keyboard.press('Control+V')
  await files.getByText('image.png').waitFor()
})

test('text that is pasted into the search stays text, although the clipboard also has a picture of it', async () => {
  const { page, panel, files, add } = await stage.openPanel('clerk', await stage.newTarget(), {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await add(fileOf('a.txt', 10, 'text/plain'), fileOf('b.txt', 10, 'text/plain'))
  await expect.poll(() => files.count()).toBe(2)
  await page.evaluate(async () => {
    const image = await new OffscreenCanvas(8, 8)
      .getContext('2d')
      ?.canvas.convertToBlob({ type: 'image/png' })
    const text = new Blob(['a.t'], { type: 'text/plain' })
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text, 'image/png': image ?? text })])
  })
  const search = panel.getByRole('searchbox')
  await search.focus()
  await page.keyboard.press('Control+V')
  await expect.poll(() => search.inputValue()).toBe('a.t')
  await files.getByText('a.txt').waitFor()
  await expect.poll(() => files.count()).toBe(1)
})

test('a downloaded file has the bytes and the name of the uploaded file', async () => {
  const { page, panel, files, add } = await stage.openPanel('clerk', await stage.newTarget())
  const buffer = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
  await add({ name: 'Übersicht 📎.bin', mimeType: '', buffer })
  await files.first().waitFor()
  const address = page.url()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Download Übersicht 📎.bin' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Übersicht 📎.bin')
  expect((await readFile(await download.path())).equals(buffer)).toBe(true)
  expect(page.url()).toBe(address)
})

test('a failed download is reported, and changes neither the page nor the browser history', async () => {
  const { page, panel, files, add } = await stage.openPanel('clerk', await stage.newTarget())
  tolerate(page, /net::ERR_/)
  await add(fileOf('a.txt', 10, 'text/plain'))
  await files.first().waitFor()
  const before = [page.url(), await page.evaluate(() => history.length)]
  stage.proxy.cut()
  try {
    const failed = page.waitForEvent('requestfailed', (request) => request.url().startsWith(stage.proxy.url))
    await panel.getByRole('button', { name: 'Download a.txt' }).click()
    expect((await failed).headers()).not.toHaveProperty('referer')
    await panel.getByRole('alert').getByText('The file could not be transferred.').waitFor()
  } finally {
    stage.proxy.release()
  }
  expect(await files.count()).toBe(1)
  expect([page.url(), await page.evaluate(() => history.length)]).toEqual(before)
  const download = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'Download a.txt' }).click()
  expect((await download).suggestedFilename()).toBe('a.txt')
  expect(await panel.getByText('could not be transferred').count()).toBe(0)
})

test('a download that the object store refuses is reported', async () => {
  const { page, panel, files, add } = await stage.openPanel('clerk', await stage.newTarget())
  tolerate(page, /503/)
  await add(fileOf('a.txt', 10, 'text/plain'))
  await files.first().waitFor()
  await page.route(`${stage.proxy.url}/**`, (route) => route.fulfill({ status: 503, body: '<Error/>' }))
  await panel.getByRole('button', { name: 'Download a.txt' }).click()
  await panel.getByRole('alert').getByText('The file could not be transferred.').waitFor()
})

test('a deleted file returns with Undo, and is deleted when its message is closed', async () => {
  const target = await stage.newTarget()
  const { page, panel, files, add } = await stage.openPanel('clerk', target)
  await add(fileOf('confidential.txt', 10, 'text/plain'))
  await files.first().waitFor()
  const message = page.getByRole('region', { name: 'Messages' })
  await panel.getByRole('button', { name: 'Delete confidential.txt' }).click()
  await panel.getByText('No files yet.').waitFor()
  await message.getByRole('button', { name: /^Undo/ }).click()
  await files.first().waitFor()
  await panel.getByRole('button', { name: 'Delete confidential.txt' }).click()
  await message.getByRole('button', { name: /^Close/ }).click()
  const request = await stage.demo.as('clerk')
  const count = async () =>
    (await expectAnswer(request('GET', `/api/attachments?${targetQuery(target)}`), 200)).items.length
  await expect.poll(count).toBe(0)
  await panel.getByText('No files yet.').waitFor()
})

test('requests to the store contain neither a token nor a cookie', async () => {
  const { page, files, add } = await stage.openPanel('clerk', await stage.newTarget())
  // Cookies do not distinguish ports, so the browser could send a cookie of the page to the store.
  await page.context().addCookies([{ name: 'probe', value: 'secret', url: stage.demo.url }])
  await add(fileOf('a.txt', 10, 'text/plain'))
  await files.first().waitFor()
  const heads = stage.proxy.heads.filter((head) => head.startsWith('PUT'))
  expect(heads).not.toEqual([])
  for (const head of heads) {
    expect(head).toMatch(/^content-type: /im)
    expect(head).toContain('X-Amz-Signature=')
    expect(head).not.toMatch(/^(authorization|cookie):/im)
  }
})

test('file names are shown as plain text', async () => {
  const { page, panel, files, add } = await stage.openPanel('clerk', await stage.newTarget())
  const markup = '<img src=x onerror=document.title=1>.png'
  await add(fileOf(markup, 1, 'image/png'), fileOf('photo\u202Egpj.exe', 2))
  await expect.poll(() => files.count()).toBe(2)
  expect((await files.locator('bdi.name').allTextContents()).toSorted()).toEqual([markup, 'photogpj.exe'])
  expect(await panel.locator('img').count()).toBe(0)
  expect(await page.title()).not.toBe('1')
})

test.each([
  ['page.html', 'text/html', '<script>document.title = "run"</script>'],
  [
    'image.svg',
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "run"</script></svg>',
  ],
])(
  'the browser downloads %s and does not display it, even if the user opens the signed URL directly',
  async (name, type, content) => {
    const target = await stage.newTarget()
    await stage.attach(target, name, Buffer.from(content), type)
    const request = await stage.demo.as('clerk')
    const { items } = await expectAnswer(request('GET', `/api/attachments?${targetQuery(target)}`), 200)
    const { url } = await expectAnswer(request('POST', `/api/attachments/${items[0]?.id}/download`), 200)
    const page = await stage.open()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.goto(String(url)).catch((error: Error) => expect(error.message).toContain('Download is starting')),
    ])
    expect(download.suggestedFilename()).toBe(name)
    expect(await page.title()).not.toBe('run')
  },
)

test('files can be uploaded, downloaded and deleted with only the keyboard, and the focus stays in the panel', async () => {
  const { page, panel, files } = await stage.openPanel('clerk', await stage.newTarget())
  const chooser = page.waitForEvent('filechooser')
  await panel.getByRole('button', { name: 'Choose files' }).focus()
  await page.keyboard.press('Enter')
  await (await chooser).setFiles([fileOf('a.txt', 3)])
  await files.first().waitFor()
  // The name of the file, and then its button.
  for (const _ of ['name', 'button']) {
    await page.keyboard.press('Tab')
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    expect(download.suggestedFilename()).toBe('a.txt')
  }
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await panel.getByText('No files yet.').waitFor()
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe('vk-attachments')
})

test('users with only read access see no buttons to add or delete files, and the panel fits a narrow page', async () => {
  const target = await stage.newTarget()
  await stage.attach(target, `${'long-name-'.repeat(12)}.txt`, Buffer.from('x'))
  const { page, panel, files } = await stage.openPanel('viewer', target)
  await files.first().waitFor()
  expect(await panel.getByRole('button', { name: /Delete|Choose/ }).count()).toBe(0)
  expect(await panel.getByRole('button', { name: /^Download/ }).count()).toBe(1)
  await page.setViewportSize({ width: 340, height: 700 })
  const overflow = await panel.evaluate((element) => element.scrollWidth - element.clientWidth)
  expect(overflow).toBe(0)
})

test('users without permission to read attachments see only the files that they upload', async () => {
  const request = await stage.demo.as('clerk')
  const { items } = await expectAnswer(request('GET', '/api/documents/trade.sales_invoice?limit=1'), 200)
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id: items[0]?.id ?? '' }
  await stage.attach(target, 'of-others.txt', Buffer.from('x'))
  const page = await stage.signIn('uploader', `/sales-invoices/${target.id}`)
  const panel = await mountPanel(page, target)
  await panel.locator('input[type=file]').setInputFiles([fileOf('own.txt', 3)])
  await panel.getByRole('list', { name: 'Attachments' }).getByText('own.txt').waitFor()
  expect(await panel.locator('bdi.name').allTextContents()).toEqual(['own.txt'])
  expect(await panel.getByRole('button').allInnerTexts()).toEqual(['Choose files'])
})

test('the attachments panel and its messages are accessible in light and dark mode', async () => {
  const target = await stage.newTarget()
  await stage.attach(target, 'contract.pdf', Buffer.alloc(180_000), 'application/pdf')
  await stage.attach(target, 'delivery-note.jpg', Buffer.alloc(2_400_000), 'image/jpeg')
  const { page, panel, files } = await stage.openPanel('clerk', target)
  await files.first().waitFor()
  await expectNoSeriousViolations(page)
  await panel.getByRole('button', { name: 'Delete contract.pdf' }).click()
  await page.getByRole('region', { name: 'Messages' }).waitFor()
  await expectNoSeriousViolations(page)
})
