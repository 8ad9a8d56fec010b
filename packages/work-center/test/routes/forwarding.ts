import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { Item } from '../../src/contract.ts'
import { supervise } from '../../src/permissions.ts'
import { type InboxHost, idsOf, openInboxHost, page, patient, refusalOf, send } from '../harness.ts'
import { addPerson, addRole, type Person, viewInvoices } from '../people.ts'

export let host: InboxHost
export let clerk: Person
export let colleague: Person
export let supervisor: Person

/** Opens the host of a test file, and adds new people before each test. */
export function openForwarding(): void {
  beforeAll(async () => {
    host = await openInboxHost({ database: patient })
    await addRole(host.database, 'trade.supervisor', [viewInvoices, supervise])
  })
  afterAll(() => host.close())
  beforeEach(async () => {
    clerk = await addPerson(host, ['trade.clerk'])
    colleague = await addPerson(host, ['trade.clerk'])
    supervisor = await addPerson(host, ['trade.supervisor'])
    host.announced.length = 0
  })
}

export interface Forward {
  readonly to: unknown
  readonly expectedVersion?: number
  readonly comment?: unknown
}

export const forward = (person: Person, id: string, { to, expectedVersion = 1, comment = null }: Forward) =>
  send(person.request, 'tasks', id, 'forward', { expectedVersion, to, comment })

export const assign = (person: Person, id: string, { to, expectedVersion = 1 }: Forward) =>
  person.request('POST', `/api/work-center/team/tasks/${id}/assign`, { body: { expectedVersion, to } })

export const claim = (person: Person, id: string, expectedVersion = 1) =>
  send(person.request, 'tasks', id, 'claim', { expectedVersion })

export const tasksOf = (person: Person) => idsOf(person.request, 'tab=tasks&limit=100')

export const newsOf = async (person: Person): Promise<readonly Item[]> =>
  (await page(person.request, 'tab=notifications')).items.filter(
    ({ code }) => code === 'work_center.task_forwarded',
  )

export const auditOf = async (entityId: string) =>
  host.database.read((db) =>
    db.execute(sql`
      select module, target_kind, target_type_code, action_code, actor_user_id, metadata, changes
      from core_audit.audit_events where target_id = ${entityId}::uuid`),
  )

export async function expectRefusal(
  response: Promise<Response>,
  status: number,
  code: string,
): Promise<void> {
  expect(await refusalOf(await response)).toMatchObject({ status, code })
}
