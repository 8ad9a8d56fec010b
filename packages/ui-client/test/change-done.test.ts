import { afterEach, beforeEach, expect, test } from 'vitest'
import { setTexts } from '../src/elements/texts.ts'
import { changeMessage } from '../src/elements/work-center/change-done.ts'
import { createClient, type WorkCenterItem } from '../src/index.ts'
import { de } from '../src/locales/de.ts'
import { en } from '../src/locales/en.ts'
import { es } from '../src/locales/es.ts'
import { fr } from '../src/locales/fr.ts'
import { it } from '../src/locales/it.ts'
import { pl } from '../src/locales/pl.ts'
import { openSession } from '../src/stores/index.ts'

const session = openSession({ client: createClient({ accessToken: () => null }), userId: 'sub-1' })
const isShown = () => true

beforeEach(() => setTexts({ locale: 'en-GB' }))
afterEach(() => setTexts({ locale: null }))

/** Returns the message after a snooze of items, which now have these ends. */
function snoozed(ends: readonly (string | null)[], { texts = en, failedCount = 0 } = {}): string {
  const items = ends.map((snoozedUntilUtc) => ({ snoozedUntilUtc }) as WorkCenterItem)
  const change = { verb: 'snooze', items, changedCount: items.length, failedCount, undo: null } as const
  return changeMessage(session, change, { texts, isShown }).text
}

const noon = '2027-01-31T12:00:00.000'

test('the message of a snooze names its end', () => {
  expect(snoozed([noon])).toBe('Snoozed 1 item until 31 Jan 2027, 12:00.')
  expect(snoozed([noon, noon])).toBe('Snoozed 2 items until 31 Jan 2027, 12:00.')
  expect(snoozed([noon], { failedCount: 1 })).toBe('Snoozed 1 item until 31 Jan 2027, 12:00. 1 failed.')
})

test('the message of an ended snooze differs from that of a snooze', () => {
  expect(snoozed([null])).toBe('Ended the snooze of 1 item.')
  expect(snoozed([null, null], { failedCount: 1 })).toBe('Ended the snooze of 2 items. 1 failed.')
})

test('the message of an undo that restores different snoozes names no end', () => {
  expect(snoozed([noon, null])).toBe('Changed the snooze of 2 items.')
})

test.each(Object.entries({ de, es, fr, it, pl }))('the messages in %s differ in the same way', (_, texts) => {
  const messages = [
    [noon, noon],
    [null, null],
    [noon, null],
  ].map((ends) => snoozed(ends, { texts }))
  expect(new Set(messages).size).toBe(3)
  expect(messages.map((message) => message.includes('31 Jan 2027, 12:00'))).toEqual([true, false, false])
})
