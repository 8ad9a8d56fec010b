import { newId } from '@vertical-kit/core-audit'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import { describe, expect, test } from 'vitest'
import type { TeamTask } from '../../src/contract.ts'
import { approve } from '../definitions.ts'
import { expectJson } from '../harness.ts'
import { addTask, closeTask, sourceOf } from '../items.ts'
import {
  addPerson,
  addRole,
  deactivate,
  type Person,
  setRoleActivity,
  takeRole,
  viewInvoices,
  viewOrders,
} from '../people.ts'
import {
  assign,
  claim,
  clerk,
  colleague,
  expectRefusal,
  type Forward,
  forward,
  host,
  openForwarding,
  supervisor,
  tasksOf,
} from './forwarding.ts'

openForwarding()

describe('a task can be forwarded', () => {
  test('by a supervisor without an entry of it', async () => {
    const id = await addTask(host.database)
    expect((await forward(supervisor, id, { to: { userId: clerk.userId } })).status).toBe(204)
    const response = assign(supervisor, id, { to: { userId: colleague.userId }, expectedVersion: 2 })
    expect(await expectJson<TeamTask>(await response)).toMatchObject({
      id,
      version: 3,
      claimedBy: { userId: colleague.userId, displayName: colleague.subject },
    })
    expect(await tasksOf(clerk)).not.toContain(id)
  })

  test('not by users who never received it, or may not view its source: 404', async () => {
    const stranger = await addPerson(host, ['trade.manager'])
    const id = await addTask(host.database)
    const secret = await addTask(host.database, { source: sourceOf('crm.ticket') })
    const to = { userId: clerk.userId }
    await expectRefusal(forward(stranger, id, { to }), 404, 'work_center.item_not_found')
    await expectRefusal(forward(supervisor, secret, { to }), 404, 'work_center.item_not_found')
    await expectRefusal(assign(supervisor, secret, { to }), 404, 'work_center.item_not_found')
    await expectRefusal(forward(clerk, 'no-id', { to }), 404, 'work_center.item_not_found')
    for (const one of [id, 'malformed'])
      await expectRefusal(assign(clerk, one, { to }), 403, 'permission.denied')
    await expectRefusal(assign(supervisor, 'malformed', { to }), 404, 'work_center.item_not_found')
  })

  test('not by a recipient after another user has claimed it, nor at another version, nor when it is closed: 409', async () => {
    const id = await addTask(host.database)
    const to = { userId: clerk.userId }
    await expectRefusal(
      forward(clerk, id, { to, expectedVersion: 2 }),
      409,
      'work_center.task_claim_conflict',
    )
    await claim(clerk, id)
    for (const expectedVersion of [1, 2]) {
      const attempt = forward(colleague, id, { to, expectedVersion })
      await expectRefusal(attempt, 409, 'work_center.task_claim_conflict')
    }
    await expectRefusal(assign(supervisor, id, { to }), 409, 'work_center.task_claim_conflict')
    await closeTask(host.database, id)
    await expectRefusal(
      forward(clerk, id, { to, expectedVersion: 3 }),
      409,
      'work_center.task_claim_conflict',
    )
  })
})

describe('a recipient is refused with 409 work_center.recipient_not_eligible', () => {
  const refused = async (id: string, to: unknown) =>
    expectRefusal(forward(clerk, id, { to }), 409, 'work_center.recipient_not_eligible')

  test('who is unknown, inactive, or has no role of the definition', async () => {
    const id = await addTask(host.database)
    const inactive = await addPerson(host, ['trade.clerk'])
    await deactivate(host.database, inactive)
    const manager = await addPerson(host, ['trade.manager'])
    for (const { userId } of [inactive, manager]) await refused(id, { userId })
    await refused(id, { userId: '00000000-0000-7000-8000-000000000001' })
    for (const roleCode of ['trade.manager', 'trade.nothing']) await refused(id, { roleCode })
  })

  test('who may not view the source', async () => {
    await addRole(host.database, 'trade.manager', [viewOrders])
    const manager = await addPerson(host, ['trade.manager'])
    const id = await addTask(host.database, { definition: approve })
    await refused(id, { userId: manager.userId })
    await refused(id, { roleCode: 'trade.manager' })
    await addRole(host.database, 'trade.manager', [viewInvoices, viewOrders])
    expect((await forward(clerk, id, { to: { userId: manager.userId } })).status).toBe(204)
  })

  test('who is an inactive role', async () => {
    const id = await addTask(host.database, { definition: approve })
    await setRoleActivity(host.database, 'trade.manager', false)
    await refused(id, { roleCode: 'trade.manager' })
    await setRoleActivity(host.database, 'trade.manager', true)
  })

  test.each([
    ['the user was deactivated', (person: Person) => deactivate(host.database, person)],
    ['the role of the user was revoked', (person: Person) => takeRole(host.database, person, 'trade.clerk')],
  ])('if, during a wait for the task, %s', async (_what, revoke) => {
    const id = await addTask(host.database)
    const held = await holdTransaction(host.database, (tx) =>
      tx.execute(sql`select from work_center.tasks where id = ${id}::uuid for update`),
    )
    const answer = forward(clerk, id, { to: { userId: colleague.userId } })
    await untilBlocked(host.database)
    await revoke(colleague)
    await held.commit()
    await expectRefusal(answer, 409, 'work_center.recipient_not_eligible')
  })
})

test.each([
  ['a user', (): unknown => ({ userId: colleague.userId })],
  ['a role', (): unknown => ({ roleCode: 'trade.clerk' })],
])('a supervisor whose role is revoked during the wait cannot assign a task to %s', async (_what, to) => {
  const id = await addTask(host.database)
  const held = await holdTransaction(host.database, (tx) =>
    tx.execute(sql`select from work_center.tasks where id = ${id}::uuid for update`),
  )
  const answers = [assign(supervisor, id, { to: to() }), forward(supervisor, id, { to: to() })]
  await untilBlocked(host.database)
  await takeRole(host.database, supervisor, 'trade.supervisor')
  await held.commit()
  await expectRefusal(answers[0] as Promise<Response>, 403, 'permission.denied')
  await expectRefusal(answers[1] as Promise<Response>, 404, 'work_center.item_not_found')
})

test.each<[object, string]>([
  [{ to: {} }, 'to'],
  [{ to: { userId: 'no-uuid' } }, 'to'],
  [{ to: { userId: newId(), roleCode: 'trade.clerk' } }, 'to'],
  [{ to: { roleCode: 'trade.clerk' }, comment: 'x'.repeat(1_001) }, 'comment'],
  [{ to: { roleCode: 'trade.clerk' }, comment: 'a\0b' }, 'comment'],
  [{ to: { roleCode: 'trade.clerk' }, comment: 1 }, 'comment'],
])('the body %j is refused with 400 request.invalid', async (body, path) => {
  const id = await addTask(host.database)
  const response = await forward(clerk, id, body as Forward)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'request.invalid', errors: [{ path }] })
})

test.each([
  { userId: null, roleCode: 'trade.manager' },
  { roleCode: 'trade.manager', unknown: true },
])('the recipient %j is a role', async (to) => {
  const manager = await addPerson(host, ['trade.manager'])
  const id = await addTask(host.database, { definition: approve })
  expect((await forward(clerk, id, { to })).status).toBe(204)
  expect(await tasksOf(manager)).toContain(id)
})
