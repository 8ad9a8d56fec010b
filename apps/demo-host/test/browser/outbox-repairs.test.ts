import type { Page } from 'playwright-core'
import postgres from 'postgres'
import { expect, onTestFinished } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import { dialog, row, toast } from './administration-stage.ts'
import { stageOfFile, test, tolerate } from './harness.ts'
import { hold } from './reports.ts'

// A failed event is a dead letter after one attempt.
const stage = stageOfFile({ WorkCenter__OutboxMaxAttempts: '1' })
const clerk = stage.as('clerk')
const manager = stage.as('manager')

const letters = async () => (await expectAnswer(manager('GET', '/api/system/outbox/dead-letters'), 200)).items

/** Makes an event a dead letter. Returns the id of its invoice, and a function that repairs the cause. */
async function breakEvent() {
  const sql = postgres(stage.demo.databaseUrl, { max: 1, onnotice: () => {} })
  const repair = async () => {
    await sql`alter table work_center.tasks drop constraint if exists broken`
  }
  onTestFinished(async () => {
    await repair()
    for (const letter of await letters())
      await manager('POST', `/api/system/outbox/events/${letter['eventId']}/discard`, {
        body: { reason: 'end of test' },
      })
    await sql.end()
  })
  await sql`alter table work_center.tasks add constraint broken check (false) not valid`
  const { id } = await postedInvoice(clerk)
  await expect.poll(async () => (await letters()).length).toBe(1)
  return { id, repair }
}

async function answer(page: Page, id: string, verb: 'Retry' | 'Discard'): Promise<void> {
  await row(page, id)
    .getByRole('button', { name: `${verb}:` })
    .click()
  await dialog(page).getByLabel('Reason').fill('A reason')
  await dialog(page).getByRole('button', { name: verb }).click()
}

test('a refusal of a repair whose view was left is a message', async () => {
  const { id } = await breakEvent()
  const page = await stage.signIn('manager', '/administration/outbox')
  tolerate(page, /409 \(Conflict\)/)
  const held = await hold(page, /\/discard$/)
  await answer(page, id, 'Discard')
  await expect.poll(() => held.length).toBe(1)
  await page.getByRole('link', { name: 'Customers' }).click()
  await page.locator('vk-outbox').waitFor({ state: 'detached' })
  const [letter] = await letters()
  const path = `/api/system/outbox/events/${letter?.['eventId']}/discard`
  await expectAnswer(manager('POST', path, { body: { reason: 'faster' } }), 200)
  await held[0]?.continue()
  await toast(page, /is not a dead letter/).waitFor()
})

test('an event that fails again after a repair is listed again', async () => {
  const { id } = await breakEvent()
  const page = await stage.signIn('manager', '/administration/outbox')
  await answer(page, id, 'Retry')
  await toast(page, 'The event is tried again.').waitFor()
  await expect.poll(async () => (await letters()).length).toBe(1)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await row(page, id).getByText('PostgresError 23514 broken').waitFor()
})

test('after a lost answer to a repair, the list is current', async () => {
  const { id, repair } = await breakEvent()
  const page = await stage.signIn('manager', '/administration/outbox')
  tolerate(page, /ERR_FAILED/)
  await repair()
  await page.route(
    /\/retry$/,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await answer(page, id, 'Retry')
  await page.getByText('No dead letters.').waitFor()
})
