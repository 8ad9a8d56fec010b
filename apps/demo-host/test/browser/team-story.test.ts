import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { act, type Document } from '../actions.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test } from './harness.ts'
import { rowOf, selectUser, verb } from './work-center-stage.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')
const today = new Date().toISOString().slice(0, 10)

const repeat = <Result>(count: number, create: () => Promise<Result>): Promise<Result[]> =>
  Array.from({ length: count }).reduce<Promise<Result[]>>(
    async (made) => [...(await made), await create()],
    Promise.resolve([]),
  )

/** Posts an invoice that was due long ago, and claims its task for Clara. */
async function overdueTaskOfClara(): Promise<Document> {
  const draft = await draftSales(clerk, 'trade.sales_invoice', (fields) => ({
    ...{ ...fields, dueDate: '2024-01-31' },
  }))
  return (await act(clerk, draft, 'post')).document
}

test('a manager, two clerks and an auditor share their work in their own browsers', {
  timeout: 240_000,
}, async () => {
  const overdue = await repeat(6, overdueTaskOfClara)
  const drafts = await repeat(38, () => draftSales(clerk, 'trade.sales_invoice'))
  const posted = await repeat(2, () => postedInvoice(clerk))
  await act(clerk, posted[0] as Document, 'trade.write_off', { reason: 'The customer is insolvent.' })

  const clara = await stage.signIn('clerk', '/work-center')
  const carl = await stage.signIn('clerk2', '/work-center')
  for (const invoice of overdue) {
    await verb(rowOf(clara, invoice), 'Claim').click()
    await rowOf(clara, invoice).getByText('Claimed by you').waitFor()
  }

  // The manager finds what is overdue, and moves six tasks to Carl.
  const manager = await stage.signIn('manager', '/team')
  const team = manager.locator('vk-team-tasks')
  await team.getByRole('combobox', { name: 'Show' }).selectOption('Overdue')
  await selectUser(team.getByRole('combobox', { name: 'Users' }), 'Clara Clerk')
  await team.getByRole('listitem').nth(5).waitFor()
  await team.getByRole('listitem').first().getByRole('checkbox').check()
  await team.getByRole('checkbox', { name: 'Select all' }).check()
  await team.getByRole('button', { name: 'Assign', exact: true }).click()
  const dialog = manager.getByRole('dialog')
  await dialog.getByLabel('To').selectOption({ label: 'Carl Clerk' })
  await dialog.getByRole('button', { name: 'Assign' }).click()
  await team.getByText('No items match these filters.').waitFor()
  for (const invoice of overdue) await rowOf(carl, invoice).getByText('Claimed by you').waitFor()

  // Clara names a substitute and leaves.
  const kept = await postedInvoice(clerk)
  await verb(rowOf(clara, kept), 'Claim').click()
  await rowOf(clara, kept).getByText('Claimed by you').waitFor()
  await clara.goto(`${stage.demo.url}/preferences`)
  const form = clara.locator('vk-substitution')
  await form.getByRole('combobox').selectOption({ label: 'Carl Clerk' })
  await form.getByLabel('First day').fill(today)
  await form.getByLabel('Last day').fill(today)
  await form.getByRole('button', { name: 'Save substitute' }).click()
  await rowOf(carl, kept).getByText('For Clara Clerk').waitFor()

  // Carl posts forty invoices at once. Two cannot be posted, and he sees why.
  await carl.goto(`${stage.demo.url}/sales-invoices`)
  await carl.getByRole('button', { name: 'Show more' }).click()
  for (const { number } of [...drafts, ...posted]) {
    await carl.getByRole('checkbox', { name: `Select ${number}` }).check()
  }
  const batch = carl.getByRole('region', { name: 'Selected documents' })
  await batch.getByRole('button', { name: 'Post (40)' }).click()
  await batch.getByText('“Post”: 38 of 40 complete.').waitFor()
  for (const { number } of posted) {
    await batch.getByText(`${number}: The document is already posted.`).waitFor()
  }
  await expectNoSeriousViolations(carl)

  // He asks Clara, who gets a mail.
  const [asked] = posted
  await carl.goto(`${stage.demo.url}/sales-invoices/${asked?.id}`)
  await carl.getByRole('button', { name: /^Notes/ }).click()
  const notes = carl.locator('vk-notes')
  await notes.getByLabel('New note').pressSequentially('Why is this posted, @clara')
  await notes.getByRole('option', { name: 'Clara Clerk' }).waitFor()
  await carl.keyboard.press('Enter')
  await carl.keyboard.press('Control+Enter')
  await notes.locator('.mention').getByText('@Clara Clerk').waitFor()
  await expect
    .poll(async () => (await fetch(`${stage.demo.url}/mails`)).text(), { timeout: 20_000 })
    .toContain(`Carl Clerk mentioned you on Sales invoice ${asked?.number}`)

  // The auditor filters the write-offs of today, reads names, and exports them.
  const auditor = await stage.signIn('auditor', '/audit-log')
  const log = auditor.locator('vk-audit-timeline')
  await auditor.getByLabel('Action code').fill('trade.write_off')
  await auditor.keyboard.press('Tab')
  await auditor.getByLabel('From', { exact: true }).fill(today)
  await auditor.keyboard.press('Tab')
  await expect
    .poll(async () => new Set(await log.locator('article .what').allTextContents()), { timeout: 20_000 })
    .toEqual(new Set(['Write off']))
  await log.getByText(`Sales invoice ${asked?.number}`).waitFor()
  const [download] = await Promise.all([
    auditor.waitForEvent('download'),
    auditor.getByRole('button', { name: 'Export' }).click(),
  ])
  const [, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toMatch(/,trade\.write_off,trade\.sales_invoice,[^,]+,/)
  expect(lines.join('\n')).toContain(`Sales invoice ${asked?.number}`)
})
