import { afterEach, expect, test } from 'vitest'
import { daysUntil } from '../src/elements/parts/format.ts'
import { setTexts } from '../src/elements/texts.ts'
import { dueText } from '../src/elements/work-center/due-mark.ts'
import { en } from '../src/locales/en.ts'

afterEach(() => setTexts({ locale: null }))

test.each([
  ['2026-11-30', 0],
  ['2026-12-01', 1],
  ['2026-11-29', -1],
  ['2027-01-01', 32],
  ['2026-03-01', -274],
])('the day %s is %i days from 30 November 2026, at any time of day', (day, days) => {
  for (const hour of [0, 12, 23]) expect(daysUntil(day, new Date(2026, 10, 30, hour, 59))).toBe(days)
})

test('the day of an instant is its local day', () => {
  const noon = new Date(2026, 10, 30, 12)
  expect(daysUntil(new Date(2026, 11, 1, 0, 1).toISOString(), noon)).toBe(1)
  expect(daysUntil(new Date(2026, 10, 30, 23, 59).toISOString(), noon)).toBe(0)
})

test.each([
  ['2026-11-30', false, 'Due today'],
  ['2026-12-01', false, 'Due tomorrow'],
  ['2026-12-07', false, 'Due in 7 days'],
  ['2026-12-08', false, 'Due 8 Dec 2026'],
  ['2026-11-27', true, '3 days overdue'],
  ['2026-11-29', true, '1 day overdue'],
  ['2026-11-30', true, 'Overdue'],
])('a task that is due on %s is described in words', (due, isOverdue, text) => {
  setTexts({ locale: 'en-GB' })
  expect(dueText({ due, isOverdue }, en.workCenter, new Date(2026, 10, 30, 12))).toBe(text)
})
