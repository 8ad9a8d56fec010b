import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { build } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import { chromiumPath, findOptionalPrograms } from '../../vitest.optional-programs.ts'
import { openShop } from './shop.ts'

const { missing, isRequired } = findOptionalPrograms().chromium

const pageOf = (orderId: string) => `
  <!doctype html>
  <html lang="en">
    <title>Order</title>
    <body data-order-id="${orderId}" data-user-id="clerk">
      <vk-notes></vk-notes>
      <vk-attachments></vk-attachments>
      <vk-audit-timeline></vk-audit-timeline>
      <vk-toasts></vk-toasts>
      <script type="module" src="/page.js"></script>
    </body>
  </html>`

/** Bundles the script of the page. Returns the texts of its files by their paths. */
async function bundle(): Promise<ReadonlyMap<string, string>> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@vertical-kit/source', 'browser', 'module', 'production'] },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2024',
      lib: { entry: { page: fileURLToPath(new URL('../notes-page.ts', import.meta.url)) }, formats: ['es'] },
    },
  })
  const outputs = [result].flat().flatMap((one) => ('output' in one ? one.output : []))
  return new Map(outputs.flatMap((file) => (file.type === 'chunk' ? [[`/${file.fileName}`, file.code]] : [])))
}

test.skipIf(missing.length > 0 && !isRequired)(
  'the elements work on a page of an application with its own users',
  async () => {
    const { clerk, url } = await openShop()
    const created = await clerk.post('/orders', { number: 'A-1', note: 'Call before it leaves' })
    const { id } = (await created.json()) as { readonly id: string }
    const files = await bundle()
    const browser = await chromium.launch({
      executablePath: chromiumPath(),
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-dev-shm-usage',
      ],
    })
    onTestFinished(() => browser.close())
    const context = await browser.newContext()
    const [name = '', value = ''] = (clerk.headers['Cookie'] ?? '').split('=')
    await context.addCookies([{ name, value, url }])
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', ({ message }) => problems.push(message))
    await page.route('**/*', (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/page') return route.fulfill({ contentType: 'text/html', body: pageOf(id) })
      const body = files.get(pathname)
      return body === undefined ? route.continue() : route.fulfill({ contentType: 'text/javascript', body })
    })
    await page.goto(`${url}/page`)
    await page.getByText('Call before it leaves').first().waitFor()
    await page.getByText('order.txt').first().waitFor()
    await page.getByRole('button', { name: 'Choose files' }).waitFor()
    await page.getByText('File attached').waitFor()
    await page.getByLabel('New note').fill('From the page')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.locator('vk-notes li').getByText('From the page').waitFor()
    expect(problems).toEqual([])
  },
)
