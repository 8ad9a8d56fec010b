import { newId, recordAudit } from '@vertical-kit/core-audit'
import type { AuditEvent, AuditEventPage, BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { Note } from '@vertical-kit/notes/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  allPermissions,
  expectJson,
  type NotesHost,
  openNotesHost,
  targetParameters,
  verticalModule,
  write,
} from '../harness.ts'

let host: NotesHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openNotesHost()
  const permissions = [...allPermissions, 'system.audit.view']
  clerk = await host.as({ subject: 'clerk', name: 'Clara Clerk', email: 'clara@example.com', permissions })
})
afterAll(() => host.close())

/** Reads all pages of a timeline. Returns the events and the number of events on each page. */
async function walk(request: TestRequest, target: BusinessObjectReference, limit: number) {
  const events: AuditEvent[] = []
  const lengths: number[] = []
  let cursor: string | null = null
  do {
    const path = `/api/audit/events?${targetParameters(target)}&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`
    const page: AuditEventPage = await expectJson<AuditEventPage>(await request('GET', path), 200)
    events.push(...page.items)
    lengths.push(page.items.length)
    cursor = page.nextCursor
  } while (cursor !== null)
  return { events, lengths }
}

/** Adds, edits and deletes a note. Writes events of the vertical before, between and after these changes. */
async function writeHistory(): Promise<Note> {
  const target = await host.addParent()
  const vertical = (actionCode: string) =>
    host.database.transaction((tx) =>
      recordAudit(tx, {
        module: verticalModule,
        target,
        actionCode,
        actorUserId: null,
        correlationId: newId(),
      }),
    )
  await vertical('trade.created')
  const note = await write(clerk, target, 'First\r\nline')
  await vertical('trade.changed')
  await expectJson(await clerk('PUT', `/api/notes/${note.id}`, { body: { text: 'Second', version: 1 } }), 200)
  await expectJson(await clerk('DELETE', `/api/notes/${note.id}?version=2`), 200)
  await vertical('trade.posted')
  return note
}

test('the timeline contains all changes of a note with the exact texts and the actors', async () => {
  const note = await writeHistory()
  const { events } = await walk(clerk, note.target, 100)
  const actor = { userId: note.createdByUserId, displayName: 'Clara Clerk', email: 'clara@example.com' }
  expect(events.map((event) => event.actionCode)).toEqual([
    'trade.posted',
    'notes.mark_for_deletion',
    'notes.updated',
    'trade.changed',
    'notes.created',
    'trade.created',
  ])
  expect(events.filter((event) => event.actionCode.startsWith('notes.'))).toMatchObject([
    {
      target: note.target,
      actor,
      metadata: { noteId: note.id, version: 2 },
      changes: [
        { fieldPath: 'text', oldValue: 'Second', newValue: null },
        { fieldPath: 'isDeleted', oldValue: false, newValue: true },
      ],
      download: null,
    },
    {
      actor,
      metadata: { noteId: note.id, version: 2 },
      changes: [
        { fieldPath: 'text', oldValue: 'First\r\nline', newValue: 'Second' },
        { fieldPath: 'version', oldValue: 1, newValue: 2 },
      ],
    },
    {
      actor,
      metadata: { noteId: note.id, version: 1 },
      changes: [
        { fieldPath: 'text', oldValue: null, newValue: 'First\r\nline' },
        { fieldPath: 'version', oldValue: null, newValue: 1 },
      ],
    },
  ])
})

test('the event of a new note contains the request id', async () => {
  const target = await host.addParent()
  const headers = { 'X-Request-Id': 'request-of-the-test' }
  await expectJson(await clerk('POST', '/api/notes', { body: { target, text: 'Text' }, headers }), 201)
  const { events } = await walk(clerk, target, 1)
  expect(events).toMatchObject([{ correlationId: 'request-of-the-test' }])
})

test('callers without the notes permission see no note events, but their timeline pages are full', async () => {
  const { target } = await writeHistory()
  const auditor = await host.as({ subject: 'auditor', permissions: ['system.audit.view'] })
  const { events, lengths } = await walk(auditor, target, 1)
  expect(events.map((event) => event.actionCode)).toEqual(['trade.posted', 'trade.changed', 'trade.created'])
  expect(lengths).toEqual([1, 1, 1])
})

test('callers with the notes permission and audit access to the type code see note events', async () => {
  const { target } = await writeHistory()
  const permissions = ['document.trade.sales_invoice.view_audit', 'system.notes.read']
  const reader = await host.as({ subject: 'reader', permissions })
  expect((await walk(reader, target, 2)).lengths).toEqual([2, 2, 2])
})

test('callers with the notes permission but without audit access cannot read the timeline', async () => {
  const { target } = await writeHistory()
  const reader = await host.as({ subject: 'notes-reader', permissions: ['system.notes.read'] })
  expect((await reader('GET', `/api/audit/events?${targetParameters(target)}`)).status).toBe(403)
})

test('while the feature is off, the timeline hides note events, but the database keeps them', async () => {
  const { target } = await writeHistory()
  const off = await openNotesHost({ featureState: 'off', databaseUrl: host.databaseUrl })
  try {
    const administrator = await off.as({ subject: 'administrator', roles: ['platform-admin'] })
    const hidden = await walk(administrator, target, 2)
    expect(hidden.events.map((event) => event.actionCode)).toEqual([
      'trade.posted',
      'trade.changed',
      'trade.created',
    ])
    expect(hidden.lengths).toEqual([2, 1])
  } finally {
    await off.close()
  }
  expect((await walk(clerk, target, 100)).events).toHaveLength(6)
})
