import { afterEach, expect, it } from 'vitest'
import { runTextsNow } from '../src/elements/document-actions/run-texts.ts'
import { actionsEnglish } from '../src/elements/document-actions/texts.ts'
import { describeChange } from '../src/elements/live-object/describe-change.ts'
import { liveEnglish } from '../src/elements/live-object/texts.ts'
import { formatAgo } from '../src/elements/parts/format.ts'
import {
  actionTexts,
  definitionName,
  groupName,
  permissionTexts,
  reasonText,
  remedyText,
  roleName,
} from '../src/elements/service-texts.ts'
import { errorText, replaceTexts, setTexts, textsOf } from '../src/elements/texts.ts'
import { de } from '../src/locales/de.ts'
import type { DocumentAction } from '../src/wire/documents.ts'

afterEach(() => replaceTexts({}))

const confirmation = { mode: 'Confirm', title: 'Sure?', message: 'It is final.', confirmLabel: 'Go' } as const
const action = (code: string): Pick<DocumentAction, 'code' | 'label' | 'description' | 'confirmation'> => ({
  ...{ code, label: 'Label', description: 'Description', confirmation },
})

it('an action without own texts has the texts of the service', () => {
  setTexts({ service: { actions: { post: { label: 'Buchen' } } } })
  expect(actionTexts(action('other'), 'order')).toEqual(action('other'))
})

it('the texts for one type have priority over those for all types, and the service fills the gaps', () => {
  setTexts({
    service: {
      actions: {
        post: {
          label: 'Buchen',
          description: 'Bucht.',
          confirmation: { title: 'Buchen?', confirmLabel: 'Ja' },
        },
        'order/post': { label: 'Freigeben', confirmation: { title: 'Freigeben?' } },
      },
    },
  })
  expect(actionTexts(action('post'), 'order')).toEqual({
    ...{ code: 'post', label: 'Freigeben', description: 'Bucht.' },
    confirmation: { mode: 'Confirm', title: 'Freigeben?', message: 'It is final.', confirmLabel: 'Ja' },
  })
  expect(actionTexts(action('post'), 'invoice').label).toBe('Buchen')
  expect(actionTexts({ ...action('post'), confirmation: null }, 'order').confirmation).toBeNull()
})

it('reasons, remedies and names are replaced by code', () => {
  const reason = { code: 'x.closed', message: 'Closed.', remedy: { message: 'Open it.' } }
  const permission = { permission: 'x.y.view', displayName: 'View', group: 'G', description: 'D' }
  expect([reasonText(reason), remedyText(reason)]).toEqual(['Closed.', 'Open it.'])
  setTexts({
    errors: { 'x.failed': 'Fehlgeschlagen.' },
    service: {
      reasons: { 'x.closed': 'Geschlossen.' },
      remedies: { 'x.closed': 'Öffnen Sie es.' },
      definitions: { 'x.task': { name: 'Aufgabe' } },
      permissions: { 'x.y.view': { name: 'Ansehen' } },
      roles: { 'x.clerk': 'Sachbearbeitung' },
      groups: { G: 'Gruppe' },
    },
  })
  expect([reasonText(reason), remedyText(reason)]).toEqual(['Geschlossen.', 'Öffnen Sie es.'])
  expect(remedyText({ ...reason, remedy: null })).toBeNull()
  expect(reasonText({ code: 'x.failed', message: 'Failed.' })).toBe('Fehlgeschlagen.')
  expect(definitionName({ code: 'x.task', displayName: 'Task' })).toBe('Aufgabe')
  expect(definitionName({ code: 'x.other', displayName: 'Other' })).toBe('Other')
  expect(permissionTexts(permission)).toEqual({ name: 'Ansehen', description: 'D' })
  expect(roleName({ code: 'x.clerk', name: 'Clerk' })).toBe('Sachbearbeitung')
  expect(groupName('G')).toBe('Gruppe')
  expect(groupName('H')).toBe('H')
})

it('texts of a vertical are added to those of a pack', () => {
  setTexts(de)
  setTexts({ service: { reasons: { 'x.closed': 'Geschlossen.' } }, actions: { completed: { x: 'Fertig.' } } })
  const actions = runTextsNow()
  const { service } = textsOf(actionsEnglish)
  expect(actions.completed['x']).toBe('Fertig.')
  expect(actions.completed['post']).toBe('Gebucht.')
  expect(service.reasons['document.posted']).toBe('Der Beleg ist gebucht.')
})

it('another language leaves no text of the previous one', () => {
  const error = { code: 'notes.deleted', message: 'The note was deleted.', requestId: null }
  setTexts(de)
  expect(errorText(error as never)).toBe('Die Notiz wurde gelöscht.')
  replaceTexts({})
  expect(errorText(error as never)).toBe('The note was deleted.')
  expect(textsOf(actionsEnglish).actions.title).toBe('Actions')
})

it('relative times follow the locale of the texts', () => {
  const now = Date.parse('2026-11-30T12:00:00Z')
  setTexts(de)
  expect(formatAgo('2026-11-30T11:58:00Z', now)).toBe('vor 2 Minuten')
  setTexts({ locale: 'fr' })
  expect(formatAgo('2026-11-29T11:58:00Z', now)).toBe('hier')
})

it('the day before yesterday is not “yesterday”, even 25 hours ago', () => {
  setTexts({ locale: 'en' })
  const now = new Date(2026, 10, 25, 0, 30).getTime()
  const ago = (...day: [month: number, date: number, hours: number]) =>
    formatAgo(new Date(2026, ...day).toISOString(), now)
  expect(ago(10, 24, 0)).toBe('yesterday')
  expect(ago(10, 23, 23)).toBe('2 days ago')
  expect(ago(10, 24, 23)).toBe('1 hour ago')
})

it('a change in the last minute has happened “just now”', () => {
  const changed = (ageMs: number) =>
    describeChange(
      { occurredAtUtc: new Date(Date.now() - ageMs).toISOString() } as never,
      textsOf(liveEnglish),
    )
  setTexts({ locale: 'en' })
  expect(changed(0)).toMatch(/changed this just now$/)
  expect(changed(61_000)).toMatch(/changed this 1 minute ago$/)
  setTexts(de)
  expect(changed(0)).toMatch(/\(gerade eben\)$/)
})
