import type { Locator, Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { targetQuery } from '../uploads.ts'
import { expectNoSeriousViolations, screenshot, stageOfFile, test, tolerate } from './harness.ts'
import { button, draft, edit, notesStage, opener, panel, rows, texts } from './notes-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')
const { invoiceWith, open } = notesStage(stage)

const undo = (page: Page): Locator => page.getByRole('button', { name: 'Undo: Note deleted.' })
/** Closes the message about a deletion, which sends the deletion. */
const closeMessage = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Close: Note deleted.' }).click()

/** Returns the texts of the notes that the service has. */
async function stored(invoice: string): Promise<readonly unknown[]> {
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id: invoice }
  const { items } = await expectAnswer(clerk('GET', `/api/notes?${targetQuery(target)}`), 200)
  return (items as unknown as readonly { text: string }[]).map(({ text }) => text)
}

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const isFocused = () =>
    target.evaluate((one) => (one.getRootNode() as Document | ShadowRoot).activeElement === one)
  for (let presses = 0; presses < 80; presses += 1) {
    if (await isFocused()) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not reach the target')
}

describe('a note', () => {
  test('can be added with line breaks, edited and deleted', async () => {
    const invoice = await invoiceWith()
    const page = await open(invoice)
    await panel(page).getByText('No notes yet.').waitFor()
    await screenshot(page, 'notes-empty')
    await draft(page).fill('Call before delivery.\n\n  Ask for Zoë.')
    await button(page, 'Add note').click()
    await expect.poll(() => texts(page)).toEqual(['Call before delivery.\n\n  Ask for Zoë.'])
    expect(await draft(page).inputValue()).toBe('')
    // After the note is added, the form hides its button. The focus must then be in the text field.
    await expect
      .poll(() => draft(page).evaluate((one) => (one.getRootNode() as ShadowRoot).activeElement === one))
      .toBe(true)
    await page.getByRole('status').getByText('Note saved.').waitFor({ state: 'attached' })
    const { height, lineHeight } = await panel(page)
      .locator('li .text')
      .evaluate((one) => ({
        height: one.getBoundingClientRect().height,
        lineHeight: Number.parseFloat(getComputedStyle(one).lineHeight),
      }))
    expect(Math.round(height / lineHeight)).toBe(3)

    await edit(page).click()
    await panel(page)
      .getByLabel(/Edit the note by .Clara Clerk/)
      .fill('Call the day before.')
    await button(page, 'Save').click()
    await expect.poll(() => texts(page)).toEqual(['Call the day before.'])
    await rows(page).getByText('edited').waitFor()
    await screenshot(page, 'notes')

    await button(page, 'Delete the note by Clara Clerk').click()
    await panel(page).getByText('No notes yet.').waitFor()
    await screenshot(page, 'notes-undo')
    await expectNoSeriousViolations(page)
    await undo(page).click()
    await expect.poll(() => texts(page)).toEqual(['Call the day before.'])
    await button(page, 'Delete the note by Clara Clerk').click()
    await closeMessage(page)
    await expect.poll(() => stored(invoice)).toEqual([])
    await panel(page).getByText('No notes yet.').waitFor()
  })

  test('that waits for its deletion is deleted when the user closes the page', async () => {
    const invoice = await invoiceWith('To go')
    const page = await open(invoice)
    await button(page, 'Delete the note by Clara Clerk').click()
    await panel(page).getByText('No notes yet.').waitFor()
    expect(await stored(invoice)).toEqual(['To go'])
    await page.goto('about:blank')
    await expect.poll(() => stored(invoice)).toEqual([])
  })

  test('returns with the reason if its deletion is refused', async () => {
    const invoice = await invoiceWith('As it was')
    const [page, other] = [await open(invoice), await open(invoice, 'clerk2')]
    await button(page, 'Delete the note by Clara Clerk').click()
    await edit(other).click()
    await panel(other)
      .getByLabel(/Edit the note by .Clara Clerk/)
      .fill('Changed')
    await button(other, 'Save').click()
    await expect.poll(() => stored(invoice)).toEqual(['Changed'])
    tolerate(page, /409 \(Conflict\)/)
    await closeMessage(page)
    await rows(page).getByRole('alert').waitFor()
    await expect.poll(() => texts(page)).toEqual(['Changed'])
    await expectNoSeriousViolations(page)
  })

  test('that could not be deleted after the user has left its panel is named in a message', async () => {
    const invoice = await invoiceWith('As it was')
    const page = await open(invoice)
    await button(page, 'Delete the note by Clara Clerk').click()
    await page.route('**/api/notes/**', (route) => route.fulfill({ status: 403, json: {} }))
    tolerate(page, /403 \(Forbidden\)/)
    await page.getByRole('link', { name: 'Payments' }).click()
    await panel(page).waitFor({ state: 'detached' })
    await closeMessage(page)
    await page.getByRole('status').getByText('The note was not deleted.').waitFor()
    expect(await stored(invoice)).toEqual(['As it was'])
  })

  test('is shown as plain text exactly as written, even with markup, mixed text directions and long words', async () => {
    const corpus = [
      '<img src=x onerror="globalThis.isIn = true">',
      '</p><script>globalThis.isIn = true</script>',
      'javascript:alert(1) https://example.com/?a=1&amp;b=2 {{ 1 + 1 }} <%= 1 %>',
      'فاتورة رقم 123 مدفوعة (Acme Ltd.) بالكامل!',
      'שלום, Invoice 42 שולמה.',
      'annual\u202Etxt.exe\u202C report \u2067abc\u2069 end',
      'Zoe\u0301 👩‍👩‍👧‍👦 🇩🇪 Ａ ﷽ \u200B|\uFEFF|',
      'tab\there\n\n\n   and three lines down',
      'x'.repeat(600),
    ]
    const page = await open(await invoiceWith(...corpus), 'clerk', { viewport: { width: 360, height: 740 } })
    await expect.poll(() => texts(page)).toEqual(corpus.toReversed())
    expect(await page.evaluate(() => 'isIn' in globalThis)).toBe(false)
    const directionOf = (text: string) =>
      panel(page)
        .locator('li .text')
        .filter({ hasText: text })
        .evaluate((one) => (one.matches(':dir(rtl)') ? 'rtl' : 'ltr'))
    expect(await directionOf('Acme')).toBe('rtl')
    expect(await directionOf('42')).toBe('rtl')
    expect(await directionOf('report')).toBe('ltr')
    // Long words wrap, so no element is wider than the panel.
    expect(await panel(page).evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
    await expectNoSeriousViolations(page)
    await screenshot(page, 'notes-corpus')
  })

  test('can be added, edited and deleted with only the keyboard', async () => {
    const page = await stage.signIn('clerk', `/sales-invoices/${await invoiceWith()}`)
    await opener(page).waitFor()
    await tabTo(page, opener(page))
    await page.keyboard.press('Enter')
    await tabTo(page, draft(page))
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => texts(page)).toEqual(['By keyboard'])
    await tabTo(page, edit(page))
    await page.keyboard.press('Enter')
    await page.keyboard.press('End')
    await page.keyboard.type(' alone')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => texts(page)).toEqual(['By keyboard alone'])
    // The focus returns to its previous element and does not move to the top of the page.
    await expect
      .poll(() => edit(page).evaluate((one) => (one.getRootNode() as ShadowRoot).activeElement === one))
      .toBe(true)
    expect(await edit(page).evaluate((one) => one.matches(':focus-visible'))).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await panel(page).getByText('No notes yet.').waitFor()
    const isDraftFocused = () =>
      draft(page).evaluate((one) => (one.getRootNode() as ShadowRoot).activeElement === one)
    await expect.poll(isDraftFocused).toBe(true)
    await page.keyboard.press('F8')
    await page.keyboard.press('Enter')
    await expect.poll(() => texts(page)).toEqual(['By keyboard alone'])
    expect(await isDraftFocused()).toBe(true)
  })

  test('is read-only for users without permission to write', async () => {
    const page = await stage.signIn('viewer', `/sales-invoices/${await invoiceWith('To be read')}`)
    await opener(page).click()
    await expect.poll(() => texts(page)).toEqual(['To be read'])
    expect(await panel(page).getByRole('textbox').count()).toBe(0)
    expect(await panel(page).getByRole('button').count()).toBe(0)
  })
})

describe('concurrent edits of one note', () => {
  test("show a conflict to the second editor, with both the saved text and the editor's own text", async () => {
    const invoice = await invoiceWith('As it was')
    const [first, second] = [await open(invoice), await open(invoice, 'clerk2')]
    for (const page of [first, second]) await edit(page).click()
    const editor = (page: Page) => panel(page).getByLabel(/Edit the note by .Clara Clerk/)
    await editor(first).fill('The first one’s')
    await editor(second).fill('The second one’s')
    await button(first, 'Save').click()
    await expect.poll(() => texts(first)).toEqual(['The first one’s'])

    tolerate(second, /409 \(Conflict\)/)
    await button(second, 'Save').click()
    await panel(second).getByRole('alert').getByText('This note was changed').waitFor()
    expect(await panel(second).getByLabel('Your version').inputValue()).toBe('The second one’s')
    await panel(second)
      .getByText(/^Version of .Clara Clerk.$/)
      .waitFor()
    await panel(second).getByText('The first one’s').waitFor()
    await expectNoSeriousViolations(second)
    await screenshot(second, 'notes-conflict')
    await button(second, 'Save my version').click()
    await expect.poll(() => texts(second)).toEqual(['The second one’s'])
  })

  test('keep the text if the note is deleted during the edit, and the text can be saved as a new note', async () => {
    const invoice = await invoiceWith('As it was')
    const [first, second] = [await open(invoice), await open(invoice, 'clerk2')]
    await edit(second).click()
    await panel(second)
      .getByLabel(/Edit the note by .Clara Clerk/)
      .fill('Still needed')
    await button(first, 'Delete the note by Clara Clerk').click()
    await closeMessage(first)
    await expect.poll(() => stored(invoice)).toEqual([])
    await panel(first).getByText('No notes yet.').waitFor()
    tolerate(second, /409 \(Conflict\)/)
    await button(second, 'Save').click()
    await panel(second).getByText('This note was deleted while you were editing.').waitFor()
    expect(await panel(second).getByLabel('Your version').inputValue()).toBe('Still needed')
    await expectNoSeriousViolations(second)
    await button(second, 'Save as a new note').click()
    await expect.poll(() => texts(second)).toEqual(['Still needed'])
  })
})
