import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expectAnswer } from '../answers.ts'
import { attach, type Target } from '../uploads.ts'
import { openStoreProxy, type StoreProxy } from './attachments-store-proxy.ts'
import { type OpenStage, openStage } from './harness.ts'

/** A demo with an object store behind a proxy that tests control. */
export interface AttachmentsStage extends OpenStage {
  readonly proxy: StoreProxy
  /** Creates an object without files. */
  newTarget(): Promise<Target>
  /** Attaches a file to the object before the page opens. */
  attach(target: Target, fileName: string, bytes: Buffer, contentType?: string): Promise<void>
  /** Signs a user in and opens the attachments of an object. */
  openPanel(user: string, target: Target, options?: BrowserContextOptions): Promise<Panel>
}

export interface Panel {
  readonly page: Page
  readonly panel: Locator
  /** The rows of ready files. */
  readonly files: Locator
  /** The rows of unfinished uploads. */
  readonly uploads: Locator
  add(...files: readonly InputFile[]): Promise<void>
  /** Adds large files that are created in the page. Their uploads are slow. */
  addLarge(...names: readonly string[]): Promise<void>
}

export interface InputFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

export async function openAttachmentsStage(): Promise<AttachmentsStage> {
  const proxy = await openStoreProxy()
  const stage = await openStage({ Attachments__Storage__PublicEndpoint: proxy.url })
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

/** Opens the attachments of the object on the page. */
export async function openDrawer(page: Page): Promise<Panel> {
  await page.getByRole('button', { name: /^Attachments/ }).click()
  const panel = page.locator('vk-attachments')
  await panel.locator('section').waitFor()
  return {
    page,
    panel,
    files: panel.getByRole('list', { name: 'Attachments' }).getByRole('listitem'),
    uploads: panel.getByRole('list', { name: 'Uploads' }).getByRole('listitem'),
    add: (...files) => panel.locator('input[type=file]').setInputFiles([...files]),
    addLarge: (...names) => panel.locator('input[type=file]').evaluate(chooseLarge, { names, largeBytes }),
  }
}

/** Adds the panel to a page that shows an object without access to its attachments. */
export async function mountPanel(page: Page, target: Target): Promise<Locator> {
  await page.locator('demo-entry-tools').evaluate((tools, shown) => {
    const panel = document.createElement('vk-attachments')
    Object.assign(panel, { session: Reflect.get(tools, 'workspace').session, target: shown })
    document.body.append(panel)
  }, target)
  return page.locator('body > vk-attachments')
}

/** More than the buffers between browser and store hold, so that a paused transfer stops midway. */
const largeBytes = 12_000_000

function chooseLarge(
  input: Element,
  { names, largeBytes }: { readonly names: readonly string[]; readonly largeBytes: number },
): void {
  if (!(input instanceof HTMLInputElement)) throw new Error('No input')
  const data = new DataTransfer()
  for (const name of names) data.items.add(new File([new Uint8Array(largeBytes)], name))
  input.files = data.files
  input.dispatchEvent(new Event('change'))
}

/** Returns a file of this size, filled with copies of its name. */
export const fileOf = (
  name: string,
  sizeBytes: number,
  mimeType = 'application/octet-stream',
): InputFile => ({
  name,
  mimeType,
  buffer: Buffer.alloc(sizeBytes, name),
})
