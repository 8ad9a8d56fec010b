import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { attach, type Target, targetQuery } from '../uploads.ts'
import { openStoreProxy, type StoreProxy } from './attachments-store-proxy.ts'
import { type OpenStage, openStage } from './harness.ts'

/** A demo that reaches its object store through a proxy. Tests control the proxy. */
export interface AttachmentsStage extends OpenStage {
  readonly proxy: StoreProxy
  /** Creates a catalog item without files. */
  newTarget(): Promise<Target>
  /** Attaches a file to the object with a request, without the page. */
  attach(target: Target, fileName: string, bytes: Buffer, contentType?: string): Promise<void>
  /** Signs a user in and opens the attachments panel of an object. */
  openPanel(user: string, target: Target, options?: BrowserContextOptions): Promise<Panel>
}

export interface Panel {
  readonly page: Page
  readonly panel: Locator
  /** The rows of ready files. */
  readonly files: Locator
  /** The rows of unfinished uploads. */
  readonly uploads: Locator
  /** Adds small files. Playwright sends their content to the page as text, which takes long for large files. */
  add(...files: readonly InputFile[]): Promise<void>
  /** Creates large files in the page and adds them. Their uploads take long enough for tests to interrupt them. */
  addLarge(...names: readonly string[]): Promise<void>
  /** Creates files of the given size in the page and adds them. */
  addOfSize(sizeBytes: number, ...names: readonly string[]): Promise<void>
}

export interface InputFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

export async function openAttachmentsStage(
  environment: Readonly<Record<string, string>> = {},
): Promise<AttachmentsStage> {
  const proxy = await openStoreProxy()
  const stage = await openStage({ Attachments__Storage__PublicEndpoint: proxy.url, ...environment })
  proxy.connectTo(stage.demo.objectStore)
  return {
    ...stage,
    proxy,
    async newTarget() {
      const request = await stage.demo.as('clerk')
      const body = { name: 'Item', fields: {} }
      const { id } = await expectAnswer(request('POST', '/api/catalogs/trade.item', { body }), 201)
      return { kind: 'CatalogItem', typeCode: 'trade.item', id }
    },
    async attach(target, fileName, bytes, contentType = 'application/octet-stream') {
      await attach(await stage.demo.as('clerk'), target, { fileName, contentType, bytes })
    },
    async openPanel(user, target, options) {
      return openDrawer(await stage.signIn(user, `/items/${target.id}`, options))
    },
    async close() {
      await stage.close()
      await proxy.close()
    },
  }
}

/** Opens the attachments drawer on a page that shows an object. */
export async function openDrawer(page: Page): Promise<Panel> {
  const button = page.getByRole('button', { name: /^Attachments/ })
  await button.waitFor()
  // The address keeps the panel open after a reload.
  if (new URL(page.url()).searchParams.get('panel') !== 'attachments') await button.click()
  const panel = page.locator('vk-attachments')
  await panel.locator('section').waitFor()
  const input = panel.locator('input[type=file]')
  const addOfSize: Panel['addOfSize'] = (sizeBytes, ...names) =>
    input.evaluate(chooseOfSize, { names, sizeBytes })
  return {
    page,
    panel,
    files: panel.getByRole('list', { name: 'Attachments' }).getByRole('listitem'),
    uploads: panel.getByRole('list', { name: 'Uploads' }).getByRole('listitem'),
    add: (...files) => input.setInputFiles([...files]),
    addLarge: (...names) => addOfSize(largeBytes, ...names),
    addOfSize,
  }
}

/** Adds an attachments panel to a page on which the user cannot open the attachments drawer. */
export async function mountPanel(page: Page, target: Target): Promise<Locator> {
  await page.locator('demo-entry-tools').evaluate((tools, shown) => {
    const panel = document.createElement('vk-attachments')
    Object.assign(panel, { session: Reflect.get(tools, 'workspace').session, target: shown })
    document.body.append(panel)
  }, target)
  return page.locator('body > vk-attachments')
}

/** The size of a large file. It exceeds the buffers between browser and store, so a paused transfer cannot complete. */
const largeBytes = 12_000_000

function chooseOfSize(
  input: Element,
  { names, sizeBytes }: { readonly names: readonly string[]; readonly sizeBytes: number },
): void {
  if (!(input instanceof HTMLInputElement)) throw new Error('No input')
  const data = new DataTransfer()
  for (const name of names) data.items.add(new File([new Uint8Array(sizeBytes)], name))
  input.files = data.files
  input.dispatchEvent(new Event('change'))
}

/** Returns a file of the given size. Its content is the repeated file name. */
export const fileOf = (
  name: string,
  sizeBytes: number,
  mimeType = 'application/octet-stream',
): InputFile => ({
  name,
  mimeType,
  buffer: Buffer.alloc(sizeBytes, name),
})

/** Three files whose orders by time, name, size and type differ. The first one is the oldest. */
export const threeFiles = [
  ['invoice 10.pdf', 'one', 'application/pdf'],
  ['Übersicht.csv', 'two and more', 'text/csv'],
  ['invoice 9.pdf', 'three', 'application/pdf'],
] as const

/** Opens the panel of a new object with these files. */
export async function panelOf(
  stage: AttachmentsStage,
  ...files: readonly (readonly [name: string, content: string, type?: string])[]
): Promise<Panel & { readonly target: Target }> {
  const target = await stage.newTarget()
  for (const [name, content, type] of files) await stage.attach(target, name, Buffer.from(content), type)
  const panel = await stage.openPanel('clerk', target)
  await expect.poll(() => panel.files.count()).toBe(files.length)
  return { ...panel, target }
}

/** Returns the names of the files that a panel shows. */
export const namesOf = ({ files }: Panel): Promise<readonly string[]> =>
  files.locator('bdi.name').allTextContents()

/** Returns the names of the files that the service lists. */
export async function fileNamesOf(stage: AttachmentsStage, target: Target): Promise<readonly string[]> {
  const request = await stage.demo.as('clerk')
  const { items } = await expectAnswer(request('GET', `/api/attachments?${targetQuery(target)}`), 200)
  return items.map(({ fileName }) => String(fileName))
}
