import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Document } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draft as createDraft, draftSales } from '../trade/actions/documents.ts'
import { openFollowed, openWithoutNews } from './followed-page.ts'
import { expectNoSeriousViolations, stageOfFile, test, tolerate } from './harness.ts'
import { hold } from './reports.ts'

const stage = stageOfFile()
const [clerk, clerk2] = [stage.as('clerk'), stage.as('clerk2')]

const conflict = (page: Page) => page.locator('.conflict')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const keep = 'Keep my changes, and load the other ones'
const keepMine = 'Keep my lines, and load the other changes'
const keepTheirs = 'Load the other lines, and keep my other changes'
const pathOf = ({ typeCode, id }: Document) => `/api/documents/${typeCode}/${id}`

async function stored(draft: Document) {
  const { payload } = await expectAnswer(clerk('GET', pathOf(draft)), 200)
  return (payload as Document['payload']).fields
}

const replace = (draft: Document, fields: object) =>
  expectAnswer(clerk2('PUT', pathOf(draft), { body: { fields } }), 200)

async function openDraft(draft: Document, path: string): Promise<Page> {
  const page = await openFollowed(stage, `/${path}/${draft.id}`)
  tolerate(page, /409 \(Conflict\)/)
  return page
}

/** Creates a draft order with a bolt and a nut. Returns the ids of these items and of a pin. */
async function orderOfTwo() {
  const [bolt = '', nut = '', pin = ''] = await Promise.all(
    ['Bolt L', 'Nut L', 'Pin L'].map(async (name) => {
      const body = { name, fields: {} }
      return (await expectAnswer(clerk('POST', '/api/catalogs/trade.item', { body }), 201)).id
    }),
  )
  const line = (itemId: string, quantity: number) => ({ itemId, quantity, unitPrice: '2.00' })
  const draft = await draftSales(clerk, 'trade.sales_order', (fields) => ({
    ...fields,
    lines: [line(bolt, 1), line(nut, 2)],
  }))
  return { draft, bolt, nut, pin, line }
}

test('a changed line stays with its item, and a line of the other user stays, too', async () => {
  const { draft, bolt, nut, pin, line } = await orderOfTwo()
  const page = await openDraft(draft, 'sales-orders')
  await page.getByLabel('Quantity, line 2').fill('7')
  await replace(draft, { ...draft.payload.fields, lines: [line(nut, 2), line(pin, 3)] })
  await page.keyboard.press('Control+s')
  await conflict(page).getByRole('list').waitFor()
  await button(page, keep).click()
  await expect.poll(() => page.getByLabel('Quantity, line 1').inputValue()).toBe('7')
  await button(page, 'Save').click()
  await page.locator('vk-document-actions').waitFor()
  expect((await stored(draft))['lines']).toEqual([line(nut, 7), line(pin, 3)])

  await button(page, 'Add a line').click()
  await page.getByRole('combobox', { name: 'Item, line 3' }).fill('bolt l')
  await page.getByRole('option').first().click()
  await page.getByLabel('Price, line 3').fill('2')
  await replace(draft, { ...draft.payload.fields, lines: [line(nut, 7), line(pin, 4)] })
  await page.keyboard.press('Control+s')
  await conflict(page).getByRole('list').waitFor()
  await button(page, keep).click()
  await conflict(page).waitFor({ state: 'detached' })
  await button(page, 'Save').click()
  await page.locator('vk-document-actions').waitFor()
  expect((await stored(draft))['lines']).toEqual([line(nut, 7), line(pin, 4), { ...line(bolt, 1) }])
})

/** Opens a draft whose line the user changes, and another user deletes. Both also change what `mine` and `theirs` contain. */
async function deletedLine({ mine = '', theirs = {} }: { mine?: string; theirs?: object } = {}) {
  const { draft, nut, line } = await orderOfTwo()
  const page = await openDraft(draft, 'sales-orders')
  await page.getByLabel('Quantity, line 1').fill('7')
  if (mine !== '') await page.getByLabel('Due date').fill(mine)
  await replace(draft, { ...draft.payload.fields, ...theirs, lines: [line(nut, 2)] })
  await page.keyboard.press('Control+s')
  await conflict(page).getByText('cannot be combined').waitFor()
  return { page, draft }
}

test.each([
  [keepMine, [7, 2], { theirs: { dueDate: '2031-01-02' } }],
  [keepTheirs, [2], { mine: '2031-01-02' }],
])('if lines cannot be combined, the user chooses: %s', async (choice, quantities, changes) => {
  const { page, draft } = await deletedLine(changes)
  expect(await button(page, keep).count()).toBe(0)
  await expectNoSeriousViolations(page)
  await button(page, choice).click()
  await expect.poll(() => page.getByLabel('Due date').inputValue()).toBe('2031-01-02')
  await button(page, 'Save').click()
  await page.locator('vk-document-actions').waitFor()
  expect(await stored(draft)).toMatchObject({
    dueDate: '2031-01-02',
    lines: quantities.map((quantity) => ({ quantity })),
  })
})

test('after the choice of the other lines, a form without other changes has nothing to save', async () => {
  const { page } = await deletedLine()
  await button(page, keepTheirs).click()
  await conflict(page).waitFor({ state: 'detached' })
  await page.locator('vk-document-actions').waitFor()
  expect(await button(page, 'Save').isDisabled()).toBe(true)
  expect(await page.getByLabel('Quantity, line 1').inputValue()).toBe('2')
  expect(await page.locator('form').evaluate((form) => form.contains(document.activeElement))).toBe(true)
})

test('the buttons of a conflict have no effect while a request of the form is running', async () => {
  const { draft, nut, bolt, line } = await orderOfTwo()
  const { page, letNewsThrough } = await openWithoutNews(stage, `/sales-orders/${draft.id}`)
  tolerate(page, /409 \(Conflict\)/)
  await page.getByLabel('Quantity, line 1').fill('7')
  await replace(draft, { ...draft.payload.fields, lines: [line(bolt, 1), line(nut, 3)] })
  await letNewsThrough()
  await conflict(page).getByRole('list').waitFor()
  const held = await hold(page, new RegExp(`${draft.id}$`))
  await page.keyboard.press('Control+s')
  await expect.poll(() => held.length).toBe(1)
  await expect.poll(() => button(page, keep).isDisabled()).toBe(true)
  await button(page, keep).press('Enter')
  await held[0]?.continue()
  await button(page, keep).click()
  await expect.poll(() => page.getByLabel('Quantity, line 2').inputValue()).toBe('3')
  expect(await page.getByLabel('Quantity, line 1').inputValue()).toBe('7')
})

test('if the page does not know yet that lines cannot be combined, the form stays, and the user chooses then', async () => {
  const { draft, nut, line } = await orderOfTwo()
  const page = await openDraft(draft, 'sales-orders')
  await page.getByLabel('Quantity, line 1').fill('7')
  await replace(draft, { ...draft.payload.fields, lines: [line(nut, 2)] })
  const answer = Promise.withResolvers<void>()
  let asked = 0
  await page.route('**/editor-state', async (route) => {
    asked += 1
    // A refused save first checks whether it was stored before. The second request belongs to the notice.
    if (asked === 2) await answer.promise
    await route.continue().catch(() => {})
  })
  await page.keyboard.press('Control+s')
  await button(page, keep).click()
  await button(page, keepMine).waitFor()
  answer.resolve()
  expect(await page.getByLabel('Quantity, line 1').inputValue()).toBe('7')
  await expect.poll(() => conflict(page).evaluate((one) => one.contains(document.activeElement))).toBe(true)
})

test('lines of a journal entry stay with their account', async () => {
  const entry = (account: string, debit: string, credit: string) => ({ account, debit, credit })
  const [bank, sales, tax] = [
    entry('1000 Bank', '12.00', '0.00'),
    entry('4000 Sales', '0.00', '10.00'),
    entry('3000 Tax', '0.00', '2.00'),
  ]
  const draft = await createDraft(clerk, 'general_journal_entry', { entries: [bank, sales, tax] })
  const page = await openDraft(draft, 'journal-entries')
  await page.getByLabel('Credit, line 3').fill('3.00')
  await replace(draft, { entries: [entry('1100 Cash', '1.00', '0.00'), bank, tax] })
  await page.keyboard.press('Control+s')
  await conflict(page).getByRole('list').waitFor()
  await button(page, keep).click()
  await conflict(page).waitFor({ state: 'detached' })
  await button(page, 'Save').click()
  await page.locator('vk-document-actions').waitFor()
  expect((await stored(draft))['entries']).toEqual([
    bank,
    { ...tax, credit: '3.00' },
    entry('1100 Cash', '1.00', '0.00'),
  ])
})
