import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { draftSales } from '../trade/actions/documents.ts'
import { dialog, inMore } from './action-bar.ts'
import { expectNoSeriousViolations, stageOfFile, test } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const invoicePath = async () => `/sales-invoices/${(await draftSales(clerk, 'trade.sales_invoice')).id}`

/** Adds rules to the stylesheets of the page. The content security policy does not allow a style element. */
const addRules = (page: Page, rules: string) =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    document.adoptedStyleSheets.push(sheet)
  }, rules)

/** Adds content to an element of the page, in one of its slots. */
const addContent = (page: Page, content: { into: string; tag: string; slot: string; text: string }) =>
  page.locator(content.into).evaluate((element, { tag, slot, text }) => {
    const child = document.createElement(tag)
    child.slot = slot
    child.textContent = text
    element.append(child)
  }, content)

/** Returns a computed style of the first element of a class or tag inside an element of the kit. */
const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)

test('a stylesheet of the page reaches the parts of an element, and those of its dialogs', async () => {
  const page = await stage.signIn('clerk', await invoicePath())
  await addRules(
    page,
    `vk-notes::part(field) { border-style: dashed }
     vk-document-actions::part(button) { text-transform: uppercase }
     vk-document-actions::part(dialog) { border-width: 5px }`,
  )
  await page.getByRole('button', { name: /^Notes/ }).click()
  await page.locator('vk-notes').getByLabel('New note').waitFor()
  expect(await styleOf(page, 'vk-notes textarea', 'border-top-style')).toBe('dashed')
  expect(await styleOf(page, 'vk-document-actions button[data-action]', 'text-transform')).toBe('uppercase')
  await expectNoSeriousViolations(page)
  await (await inMore(page, 'Mark for deletion')).click()
  await dialog(page).waitFor()
  expect(await styleOf(page, 'vk-document-actions dialog', 'border-top-width')).toBe('5px')
  expect(await styleOf(page, 'vk-document-actions dialog button', 'text-transform')).toBe('uppercase')
  await expectNoSeriousViolations(page)
})

test('a heading and the text of an empty list come from the page, but not while a search finds nothing', async () => {
  const page = await stage.signIn('clerk', await invoicePath())
  await page.getByRole('button', { name: /^Notes/ }).click()
  const notes = page.locator('vk-notes')
  await notes.getByLabel('New note').waitFor()
  await addContent(page, { into: 'vk-notes', tag: 'h2', slot: 'heading', text: 'What we know' })
  await addContent(page, { into: 'vk-notes', tag: 'p', slot: 'empty', text: 'Write the first one.' })
  await page.getByRole('heading', { name: 'What we know' }).waitFor()
  await page.getByText('Write the first one.').waitFor()
  expect(await notes.getByText('No notes yet').isVisible()).toBe(false)
  await expectNoSeriousViolations(page)
  for (let number = 1; number <= 6; number += 1) {
    await notes.getByLabel('New note').fill(`note ${number}`)
    await notes.getByRole('button', { name: 'Add' }).click()
    await notes.locator('li .text').getByText(`note ${number}`, { exact: true }).waitFor()
  }
  expect(await page.getByText('Write the first one.').isVisible()).toBe(false)
  await notes.getByRole('searchbox').fill('absent')
  await notes.getByText('No note matches.').waitFor()
  expect(await page.getByText('Write the first one.').isVisible()).toBe(false)
})

test('an empty tab of the Work Center has its own text from the page, before that of all lists', async () => {
  const page = await stage.signIn('outsider', '/work-center')
  const element = page.locator('vk-work-center')
  await element.getByRole('tab', { name: 'Tasks' }).click()
  const texts = { 'empty-tasks': 'Nothing to do.', empty: 'Nothing done yet.' }
  for (const [slot, text] of Object.entries(texts)) {
    await addContent(page, { into: 'vk-work-center', tag: 'p', slot, text })
  }
  await page.getByText('Nothing to do.').waitFor()
  expect(await page.getByText('Nothing done yet.').isVisible()).toBe(false)
  await element.getByRole('tab', { name: 'Completed' }).click()
  await page.getByText('Nothing done yet.').waitFor()
  expect(await page.getByText('Nothing to do.').isVisible()).toBe(false)
})

test('the actions bar shows a button of the page, and moves its own buttons to the menu to make room', async () => {
  const page = await stage.signIn('clerk', await invoicePath(), { viewport: { width: 700, height: 800 } })
  const bar = page.locator('vk-document-actions')
  await bar.locator('button[data-action]').first().waitFor()
  const shown = () => bar.locator('.bar > button[data-action]').count()
  const before = await shown()
  await addRules(page, '[slot=actions] { background: Canvas; color: CanvasText }')
  await addContent(page, {
    into: 'vk-document-actions',
    tag: 'button',
    slot: 'actions',
    text: 'Print with prices '.repeat(4),
  })
  await page.getByRole('button', { name: 'Print with prices' }).waitFor()
  await expect.poll(shown).toBeLessThan(before)
  const fits = await bar.evaluate((element) => element.scrollWidth <= element.clientWidth)
  expect(fits).toBe(true)
  await expectNoSeriousViolations(page)
})
