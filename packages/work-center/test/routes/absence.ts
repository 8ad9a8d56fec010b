import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { Substitution } from '../../src/contract.ts'
import { supervise } from '../../src/permissions.ts'
import { clear } from '../desk.ts'
import { expectJson, type InboxHost, idsOf, openInboxHost, patient, refusalOf } from '../harness.ts'
import { addPerson, addRole, type Person, viewInvoices } from '../people.ts'

export let host: InboxHost
/** Clara is on leave, and Max substitutes her: he may view invoices, but does not have her role. */
export let clara: Person
export let max: Person
export let supervisor: Person

/** Opens the host of a test file, and adds new people before each test. */
export function openAbsence(): void {
  beforeAll(async () => {
    host = await openInboxHost({ database: patient })
    await addRole(host.database, 'trade.supervisor', [viewInvoices, supervise])
    supervisor = await addPerson(host, ['trade.supervisor'])
  })
  afterAll(() => host.close())
  beforeEach(async () => {
    await clear(host.database)
    await host.database.statement((tx) => tx.execute(sql`delete from work_center.substitutions`))
    clara = await addPerson(host, ['trade.clerk'])
    max = await addPerson(host, ['trade.auditor'])
    host.announced.length = 0
  })
}

export const day = 86_400_000
export const inDays = (days: number): string => new Date(Date.now() + days * day).toISOString()
export const mine = '/api/me/substitution'
export const of = ({ userId }: Person) => `/api/security/users/${userId}/substitution`

export const name = (by: Person, substitute: Person, from = -1, until = 7, path = mine) =>
  by.request('PUT', path, {
    body: { userId: substitute.userId, fromUtc: inDays(from), untilUtc: inDays(until) },
  })
export const named = async (...call: Parameters<typeof name>): Promise<Substitution> =>
  expectJson<Substitution>(await name(...call))
export const found = async (by: Person, path = mine) => expectJson<unknown>(await by.request('GET', path))
export const tasksOf = (person: Person, query = 'tab=tasks') => idsOf(person.request, query)

export async function expectRefusal(
  response: Promise<Response>,
  status: number,
  code: string,
): Promise<void> {
  expect(await refusalOf(await response)).toMatchObject({ status, code })
}

/** Moves the start or the end of all substitutions to some days from now. */
export const move = (column: 'from_at' | 'until_at', days: number) =>
  host.database.statement((tx) =>
    tx.execute(sql`
      update work_center.substitutions
      set ${sql.raw(column)} = clock_timestamp() + make_interval(secs => ${days * 86_400}),
        changes_at = least(changes_at, clock_timestamp() + make_interval(secs => ${days * 86_400}))`),
  )
