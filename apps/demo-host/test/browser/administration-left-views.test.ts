import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { dialog, row, toast } from './administration-stage.ts'
import { stageOfFile, test, tolerate } from './harness.ts'
import { hold } from './reports.ts'

const stage = stageOfFile()
const changes = [
  {
    label: 'the roles of a user',
    part: 'users',
    request: /\/users\/[^/]+\/roles$/,
    done: /The roles of .*Carl Clerk.* have changed\./,
    async send(page: Page) {
      const carl = row(page, 'Carl')
      await carl.getByRole('button', { name: /^Roles/ }).click()
      const auditor = carl.getByRole('checkbox', { name: 'Auditor' })
      await auditor.setChecked(!(await auditor.isChecked()))
      await carl.getByRole('button', { name: 'Save' }).click()
    },
  },
  {
    label: 'the deactivation of a user',
    part: 'users',
    request: /\/deactivate$/,
    done: /Carl Clerk.* has been deactivated\./,
    async send(page: Page) {
      await row(page, 'Carl')
        .getByRole('button', { name: /^Deactivate/ })
        .click()
      await dialog(page).getByRole('button', { name: 'Deactivate' }).click()
    },
  },
  {
    label: 'a role',
    part: 'roles',
    request: /\/deactivate$/,
    done: /Auditor.* has been switched off\./,
    async send(page: Page) {
      await row(page, 'Auditor')
        .getByRole('button', { name: /^Switch off/ })
        .click()
      await dialog(page).getByRole('button', { name: 'Switch off' }).click()
    },
  },
  {
    label: 'the texts of a role',
    part: 'roles',
    request: /\/roles\/[^/]+$/,
    done: /Uploader.* has been saved\./,
    async send(page: Page) {
      await page.getByRole('button', { name: 'Edit Uploader' }).click()
      await page.getByLabel('Description').fill('Adds files')
      await page.getByRole('form').getByRole('button', { name: 'Save' }).click()
    },
  },
] as const

/** Opens a part, sends a change, and leaves the part before the answer. Returns the request. */
async function sendAndLeave(page: Page, { send, request, part }: (typeof changes)[number]) {
  const held = await hold(page, request)
  await send(page)
  await expect.poll(() => held.length).toBe(1)
  page.once('dialog', (question) => void question.accept())
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.locator(`vk-${part}`).waitFor({ state: 'detached' })
  const [sent] = held
  if (sent === undefined) throw new Error('No request was sent')
  return sent
}

test.each(changes)('a failure of $label whose view was left is a message', async (change) => {
  const page = await stage.signIn('manager', `/administration/${change.part}`)
  tolerate(page, /409 \(Conflict\)/)
  const sent = await sendAndLeave(page, change)
  await sent.fulfill({ status: 409, json: { code: 'a.refusal', detail: 'Another change was faster.' } })
  await toast(page, /Another change was faster\./).waitFor()
})

test.each(changes)('the result of $label whose view was left is a message', async (change) => {
  // The list contains users after their first request.
  await stage.as('clerk2')('GET', '/api/me/substitution')
  const page = await stage.signIn('manager', `/administration/${change.part}`)
  const sent = await sendAndLeave(page, change)
  await sent.continue()
  await toast(page, change.done).waitFor()
})
