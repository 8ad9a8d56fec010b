import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { pageLists } from '../../src/page/page-routes.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { button, inMore, openDocument } from './action-bar.ts'
import { stageOfFile, test } from './harness.ts'
import { badge, rowOf, tab, workCenter } from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

test('after a save, the text of the Save button keeps its contrast below the pointer', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_order')
  const page = await stage.signIn('clerk', `/sales-orders/${id}`)
  await page.getByLabel('Quantity, line 1').fill('77')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await save.click()
  await page.locator('vk-document-actions').waitFor()
  expect(await save.isDisabled()).toBe(true)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await save.hover({ force: true })
    expect(await contrastOf(save)).toBeGreaterThan(4.5)
  }
})

test('the outline of the row with the focus is complete, also around its buttons', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/work-center')
  const row = rowOf(page, invoice)
  await row.waitFor()
  await page.keyboard.press('j')
  const buttons = row.locator('.buttons')
  await expect.poll(() => styleOf(buttons, 'opacity')).toBe('1')
  const picture = [...(await row.screenshot({ animations: 'disabled' }))]
  const colours = await page.evaluate(async (bytes) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(bytes)]))
    const { width, height } = image
    const pen = new OffscreenCanvas(width, height).getContext('2d')
    pen?.drawImage(image, 0, 0)
    const colourAt = (x: number, y: number) => String(pen?.getImageData(x, y, 1, 1).data)
    const top = Array.from({ length: width - 4 }, (_, x) => colourAt(x + 2, 1))
    const right = Array.from({ length: height - 4 }, (_, y) => colourAt(width - 2, y + 2))
    return [...new Set([...top, ...right])]
  }, picture)
  expect(colours).toHaveLength(1)
})

test('cards, the menu and dialogs have a shadow, in both colour schemes', async () => {
  const page = await stage.signIn('clerk')
  const shadowOf = (selector: string) => styleOf(page.locator(selector).first(), 'box-shadow')
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  await page.goto(`${stage.demo.url}/sales-invoices/${id}`)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.locator('.dialog[open]').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const selector of ['.card', '.user-menu', '.dialog[open]'])
      expect([selector, await shadowOf(selector)]).toEqual([selector, expect.stringMatching(/^rgb/)])
  }
})

test.each([640, 320])('with text of twice the size, no view of %i px scrolls sideways', async (width) => {
  const draft = await draftSales(clerk, 'trade.sales_invoice')
  const posted = await postedInvoice(clerk)
  // The initials of this user are the widest.
  const page = await stage.signIn('manager', '/preferences', { viewport: { width, height: 900 } })
  const excess = async (path: string, ready: string) => {
    await page.goto(stage.demo.url + path)
    await page.locator(ready).first().waitFor()
    return page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
      return document.documentElement.scrollWidth - innerWidth
    })
  }
  const views = [
    ...pageLists.map((list) => [`/${list}`, 'tbody tr:not(.bone-row)'] as const),
    [`/sales-invoices/${draft.id}`, 'form .lines'] as const,
    [`/sales-invoices/${posted.id}`, '.lines.read'] as const,
    ['/', '.chart tr'] as const,
    ['/work-center', 'vk-work-center [role=tab]'] as const,
    ['/team', 'vk-team-tasks time'] as const,
    ['/audit-log', 'vk-audit-timeline li'] as const,
    ['/preferences', 'vk-preferences [role=switch]'] as const,
  ]
  // In German, the panels have the longest words.
  await page.evaluate(() => localStorage.setItem('demo.language', 'de'))
  const found: (readonly [string, number])[] = []
  for (const [path, ready] of views) found.push([path, await excess(path, ready)])
  expect(found.filter(([, pixels]) => pixels > 0)).toEqual([])
})

test('with text of twice the size on a phone, running uploads, the search of files and the rows of a list stay readable', async () => {
  const { id } = await draftSales(clerk, 'trade.sales_invoice')
  const page = await stage.signIn('clerk', '/sales-invoices', { viewport: { width: 320, height: 900 } })
  const enlarge = () =>
    page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
  const row = page.locator('tbody tr:not(.bone-row)').first()
  await row.waitFor()
  await enlarge()
  const { x: status = 0 } = (await row.locator('.corner').boundingBox()) ?? {}
  // The text of the number ends before the status.
  expect((await textBox(row.locator('td').first())).right).toBeLessThanOrEqual(status)

  await page.evaluate(() => localStorage.setItem('demo.language', 'fr'))
  await page.goto(`${stage.demo.url}/sales-invoices/${id}?panel=attachments`)
  const files = page.locator('vk-attachments')
  const add = (...names: string[]) =>
    files
      .locator('input[type=file]')
      .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('x') })))
  await add('a.txt', 'b.txt')
  await files.getByRole('searchbox').waitFor()
  await page.route('**/api/attachments/uploads', () => {})
  await add('c.txt', 'd.txt')
  const progress = files.locator('.overall span').first()
  await progress.waitFor()
  await enlarge()
  const widthOf = (element: Locator) => element.evaluate(({ clientWidth }) => clientWidth)
  expect(await widthOf(files.getByRole('searchbox'))).toBeGreaterThan(200)
  expect(await widthOf(progress)).toBeGreaterThan(200)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
})

test('enlarged four times, the menu of the user and the list of the keys fit into the window', async () => {
  const page = await stage.signIn('clerk', '/work-center', { viewport: { width: 320, height: 200 } })
  const isWithin = (popover: Locator) =>
    popover.evaluate((one) => {
      const { top, bottom } = one.getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight
    })
  await page.getByRole('button', { name: /account and appearance$/ }).click()
  expect(await isWithin(page.locator('.user-menu'))).toBe(true)
  await page.getByRole('button', { name: 'Sign out' }).scrollIntoViewIfNeeded()
  await page.keyboard.press('Escape')
  await workCenter(page).getByRole('listitem').first().waitFor()
  await page.keyboard.press('?')
  expect(await isWithin(page.getByRole('dialog', { name: 'Keyboard shortcuts' }))).toBe(true)
})

test('a question about an entry with a long name shows its buttons, also with text of twice the size', async () => {
  const body = { name: 'x'.repeat(160), fields: {} }
  const { id } = await expectAnswer(clerk('POST', '/api/catalogs/trade.customer', { body }), 201)
  const page = await stage.signIn('clerk', `/customers/${id}`, { viewport: { width: 320, height: 640 } })
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const excess = () => dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
  expect(await excess()).toBe(0)
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%'
  })
  expect(await excess()).toBe(0)
  const left = await dialog.evaluate((one) => one.getBoundingClientRect().left)
  for (const button of await dialog.getByRole('button').all())
    expect((await button.boundingBox())?.x).toBeGreaterThan(left)
})

test('in forced colours, only the selected tab is marked', async () => {
  const page = await stage.signIn('clerk', '/work-center')
  await page.emulateMedia({ forcedColors: 'active' })
  await tab(page, 'Tasks').click()
  const line = (name: string) => styleOf(tab(page, name), 'border-bottom-color')
  await expect.poll(() => line('Tasks')).not.toBe(await line('Attention'))
  // The line of the other tabs has the colour of the background.
  expect(await line('Attention')).toBe(await line('Completed'))
  expect(await line('Attention')).toBe(await systemColour(page, 'Canvas'))
})

test('in forced colours, unavailable actions have the colour of disabled buttons', async () => {
  const page = await openDocument(stage, await draftSales(clerk, 'trade.sales_invoice'))
  await page.emulateMedia({ forcedColors: 'active' })
  const grey = await systemColour(page, 'GrayText')
  const unpost = await inMore(page, 'Unpost')
  for (const property of ['color', 'border-bottom-color']) {
    expect(await styleOf(unpost, property)).toBe(grey)
    expect(await styleOf(button(page, 'Post'), property)).not.toBe(grey)
    expect(await styleOf(page.getByRole('button', { name: 'Save', exact: true }), property)).toBe(grey)
  }
})

test('in forced colours, the link to the current view is marked', async () => {
  const page = await stage.signIn('clerk', '/items')
  await page.emulateMedia({ forcedColors: 'active' })
  const ground = (name: string) => styleOf(page.getByRole('link', { name, exact: true }), 'background-color')
  expect(await ground('Items')).toBe(await systemColour(page, 'SelectedItem'))
  expect(await ground('Customers')).not.toBe(await ground('Items'))
})

test('in forced colours, a switch shows its state', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  await page.emulateMedia({ forcedColors: 'active' })
  const switches = page.locator('vk-preferences').getByRole('switch')
  await switches.first().waitFor()
  const [on, off] = [
    switches.and(page.locator(':checked')).first(),
    switches.and(page.locator(':not(:checked)')).first(),
  ]
  expect(await styleOf(on, 'background-color')).toBe(await systemColour(page, 'Highlight'))
  expect(await styleOf(off, 'background-color')).not.toBe(await styleOf(on, 'background-color'))
  for (const one of [on, off]) {
    const knob = one.evaluate((input) => getComputedStyle(input, '::before').backgroundColor)
    expect(await knob).not.toBe(await styleOf(one, 'background-color'))
  }
})

test('in right-to-left layout, the drawer and the descriptions of tasks are at the left side', async () => {
  const invoice = await postedInvoice(clerk)
  const page = await stage.signIn('clerk', '/items')
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })
  await badge(page).click()
  const drawer = page.getByRole('dialog', { name: 'Work Center' })
  await rowOf(page, invoice).waitFor()
  await expect.poll(async () => (await drawer.boundingBox())?.x).toBe(0)
  const row = rowOf(page, invoice)
  const [title, text] = [await textBox(row.locator('.title')), await textBox(row.locator('.text'))]
  // The description follows the marks, which are at its right side.
  expect(text.right).toBeLessThan(title.right)
  const [icon, list] = [await row.locator('.icon').boundingBox(), await workCenter(page).boundingBox()]
  expect(icon?.x).toBeGreaterThan((list?.x ?? 0) + (list?.width ?? 0) / 2)
})

test('in right-to-left layout on a phone, the navigation opens at the right side', async () => {
  const page = await stage.signIn('clerk', '/items', { viewport: { width: 360, height: 740 } })
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })
  await page.getByRole('button', { name: 'Menu' }).click()
  const { x = 0, width = 0 } = (await page.locator('#navigation').boundingBox()) ?? {}
  expect(x + width).toBe(await page.evaluate(() => document.documentElement.clientWidth))
})

/** Returns a computed style, also of an element in a shadow root. */
const styleOf = (element: Locator, property: string): Promise<string> =>
  element.evaluate((one, name) => getComputedStyle(one).getPropertyValue(name), property)

/** Returns the computed value of a system colour. */
const systemColour = (page: Page, name: string): Promise<string> =>
  page.evaluate((colour) => {
    const probe = document.createElement('i')
    probe.style.setProperty('color', colour)
    document.body.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }, name)

/** Returns the edges of the text in an element, without the empty part of its lines. */
const textBox = (element: Locator): Promise<{ readonly left: number; readonly right: number }> =>
  element.evaluate((one) => {
    const range = document.createRange()
    range.selectNodeContents(one)
    const { left, right } = range.getBoundingClientRect()
    return { left: Math.round(left), right: Math.round(right) }
  })

/** Returns the contrast between the text of an element and its background (WCAG 2, 1.4.3). */
const contrastOf = (element: Locator): Promise<number> =>
  element.evaluate((one) => {
    const pen = new OffscreenCanvas(1, 1).getContext('2d')
    if (pen === null) throw new Error('No canvas')
    const luminance = (colour: string) => {
      pen.fillStyle = colour
      pen.fillRect(0, 0, 1, 1)
      const [red = 0, green = 0, blue = 0] = [...pen.getImageData(0, 0, 1, 1).data].map((byte) => {
        const share = byte / 255
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const { color, backgroundColor } = getComputedStyle(one)
    const [text, ground] = [luminance(color), luminance(backgroundColor)]
    return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)
  })
