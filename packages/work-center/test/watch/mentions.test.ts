import { newId } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { page, refusalOf } from '../harness.ts'
import { addPerson, addRole, type Person, takeRole, viewInvoices } from '../people.ts'
import { list } from '../preferences.ts'
import { mentioned, type Office, openOffice } from './office.ts'

let office: Office
let carl: Person
let clara: Person
beforeAll(async () => {
  // The feature of the notes is off, and another replica has it on.
  office = await openOffice({ offersMentions: false })
  carl = await addPerson(office, ['trade.clerk'])
  clara = await addPerson(office, ['trade.clerk'])
})
afterAll(() => office.close())

/** Appends the event of a note by Carl. */
async function mention(target: BusinessObjectReference, source: string, ...people: readonly Person[]) {
  const noteId = newId()
  await office.database.transaction((tx) =>
    office.outbox.append(tx, {
      ...{ type: mentioned.type, source, subject: `note/${noteId}`, actorUserId: carl.userId },
      ...{ correlationId: null, causationId: null, schemaVersion: 1 },
      data: { noteId, target, userIds: people.map(({ userId }) => userId) },
    }),
  )
  return noteId
}

const newsOf = async ({ request }: Person, { id }: BusinessObjectReference) =>
  (await page(request, 'tab=notifications&limit=100')).items.filter(({ source }) => source.entityId === id)

test('without offersMentions, users have no preference for mentions', async () => {
  expect((await list(clara)).map(({ code }) => code)).toEqual(['work_center.object_changed'])
  const preferences = [{ code: 'notes.mentioned', channel: 'InApp', isEnabled: false }]
  const response = await clara.request('PUT', '/api/me/notification-preferences', { body: { preferences } })
  expect(await refusalOf(response)).toMatchObject({ code: 'work_center.preference_unknown' })
})

test('mentioned users are notified, without the text of the note', async () => {
  const invoice = await office.addInvoice()
  const dora = await addPerson(office, ['trade.auditor'])
  const noteId = await mention(invoice, 'off', clara, dora)
  await office.deliver()
  for (const person of [clara, dora]) {
    expect(await newsOf(person, invoice)).toMatchObject([
      {
        ...{ code: 'notes.mentioned', title: `${carl.subject} mentioned you on Invoice 7`, description: '' },
        ...{
          titleText: { key: 'notes.mentioned' },
          target: { parameters: { documentId: invoice.id, noteId } },
        },
      },
    ])
  }
  expect(await newsOf(carl, invoice)).toEqual([])
})

test('members of a role that an administrator has created later are notified', async () => {
  await addRole(office.database, 'trade.accountant', [viewInvoices])
  const invoice = await office.addInvoice()
  const [reader, outsider] = [await addPerson(office, ['trade.accountant']), await addPerson(office, [])]
  expect((await list(reader)).map(({ code }) => code)).toEqual(['work_center.object_changed'])
  expect(await list(outsider)).toEqual([])
  await mention(invoice, 'off', reader, outsider)
  await office.deliver()
  expect(await newsOf(reader, invoice)).toHaveLength(1)
  expect(await newsOf(outsider, invoice)).toEqual([])
})

test('rights are checked when the notification is written', async () => {
  const invoice = await office.addInvoice()
  const former = await addPerson(office, ['trade.clerk'])
  const other = await office.addInvoice()
  await mention(invoice, 'trade', former, clara)
  await mention(other, 'secrets', clara)
  await office.hide(invoice, clara)
  await takeRole(office.database, former, 'trade.clerk')
  await office.deliver()
  await office.show(invoice, clara)
  expect(await newsOf(clara, invoice)).toEqual([])
  expect(await newsOf(clara, other)).toEqual([])
  expect(await newsOf(former, invoice)).toEqual([])
})
