import type { Page } from 'playwright-core'
import postgres from 'postgres'
import { expect, onTestFinished } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import { stageOfFile, test, tolerate } from './harness.ts'

// A failed event is a dead letter after one attempt.
const stage = stageOfFile({ WorkCenter__OutboxMaxAttempts: '1' })
const manager = stage.as('manager')

const open = (part: string) => stage.signIn('manager', `/administration/${part}`)
const rowOf = (page: Page, text: string) =>
  page.locator('demo-administration').getByRole('listitem').filter({ hasText: text })

/** Waits until the button with this accessible name has the focus. */
const expectFocus = (page: Page, name: string): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate(() => {
        const focused = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement
        return focused?.getAttribute('aria-label') ?? focused?.textContent?.trim()
      }),
    )
    .toBe(name)

test('the focus returns to the button of a form that closes', async () => {
  const page = await open('users')
  const invite = page.getByRole('button', { name: 'Invite a person' })
  await invite.press('Enter')
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expectFocus(page, 'Invite a person')
  const uma = rowOf(page, 'Uma Uploader')
  const button = uma.getByRole('button', { name: 'Roles: Uma Uploader' })
  for (const end of ['Cancel', 'Save']) {
    await button.press('Enter')
    await uma.getByRole('button', { name: end }).press('Enter')
    await expectFocus(page, 'Roles: Uma Uploader')
  }
})

test('the form of a person or a role opens with the focus in its first field', async () => {
  const page = await open('users')
  await page.getByRole('button', { name: 'Invite a person' }).press('Enter')
  await page.keyboard.type('carl')
  const subject = page.getByRole('textbox', {
    name: 'Subject',
    description: /^The user name or id with which your sign-in service identifies this person/,
  })
  expect(await subject.inputValue()).toBe('carl')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Roles' }).click()
  await page.getByRole('button', { name: 'Add a role' }).press('Enter')
  await page.keyboard.type('Buyer')
  expect(await page.getByLabel('Name').inputValue()).toBe('Buyer')
})

test('changed permissions stay while the administrator looks at another role, and Reset keeps the focus', async () => {
  const page = await open('roles')
  const [auditor, viewer] = [rowOf(page, 'Auditor'), rowOf(page, 'Viewer')]
  const permissionsOf = (name: string) => page.getByRole('button', { name: `Permissions: ${name}` })
  await permissionsOf('Auditor').click()
  await auditor.getByRole('checkbox', { name: 'Edit customers' }).check()
  await permissionsOf('Viewer').click()
  await viewer.getByText('No changes.').waitFor()
  await permissionsOf('Auditor').click()
  await auditor.getByText('1 added, 0 removed').waitFor()
  expect(await auditor.getByRole('checkbox', { name: 'Edit customers' }).isChecked()).toBe(true)
  await auditor.getByRole('button', { name: 'Reset' }).press('Enter')
  await auditor.getByText('No changes.').waitFor()
  await expectFocus(page, 'Reset')
})

test('the browser refuses a code of a role that the service would refuse', async () => {
  const page = await open('roles')
  await page.getByRole('button', { name: 'Add a role' }).click()
  await page.getByLabel('Name').fill('Buyer')
  const code = page.getByLabel('Code')
  const isValid = () => code.evaluate((input) => (input as HTMLInputElement).checkValidity())
  for (const [text, expected] of [
    ['Bad Code', false],
    ['a..b', false],
    ['buyer-1.of_all', true],
  ] as const) {
    await code.fill(text)
    expect([text, await isValid()]).toEqual([text, expected])
  }
})

test('a reason is kept if a repair fails, and the focus goes to the next row after a repair', async () => {
  const sql = postgres(stage.demo.databaseUrl, { max: 1, onnotice: () => {} })
  onTestFinished(() => sql.end())
  await sql`alter table work_center.tasks add constraint broken check (false) not valid`
  await postedInvoice(stage.as('clerk'))
  await postedInvoice(stage.as('clerk'))
  const letters = async () =>
    (await expectAnswer(manager('GET', '/api/system/outbox/dead-letters'), 200)).items
  await expect.poll(async () => (await letters()).length).toBe(2)
  await sql`alter table work_center.tasks drop constraint broken`

  const page = await open('outbox')
  tolerate(page, /ERR_INTERNET_DISCONNECTED|Failed to fetch/)
  const dialog = page.getByRole('dialog')
  const discard = page.getByRole('button', { name: 'Discard:' })
  await discard.first().press('Enter')
  await dialog.getByLabel('Reason').fill('Posted by mistake')
  await page.context().setOffline(true)
  await dialog.getByRole('button', { name: 'Discard' }).press('Enter')
  await page.getByText('The service cannot be reached').first().waitFor()
  await page.getByRole('table').waitFor()
  await page.context().setOffline(false)
  await discard.first().press('Enter')
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('Posted by mistake')
  await dialog.getByRole('button', { name: 'Discard' }).press('Enter')
  await expect.poll(() => discard.count()).toBe(1)
  const [left] = await letters()
  await expectFocus(page, `1 attempt: ${String(left?.['type'])} ${String(left?.['subject'])}`)
  await discard.first().press('Enter')
  await dialog.getByLabel('Reason').fill('Posted by mistake, too')
  await dialog.getByRole('button', { name: 'Discard' }).press('Enter')
  await page.getByText('No dead letters.').waitFor()
  await expectFocus(page, 'Refresh')
})
