import { expect, test } from 'vitest'
import { rebase } from '../../web/form/rebase.ts'

/** Returns the values of a form whose lines are written as `item quantity price`. */
const form = (dueDate: string, ...lines: readonly string[]) => ({
  dueDate,
  lines: lines.map((line) => {
    const [itemId = '', quantity = '', unitPrice = ''] = line.split(' ')
    return { itemId, quantity, unitPrice }
  }),
})

const base = form('1 May', 'bolt 1 2.00', 'nut 2 3.00')

test.each([
  [
    'my quantity and their price',
    ['bolt 7 2.00', 'nut 2 3.00'],
    ['bolt 1 9.00', 'nut 2 3.00'],
    ['bolt 7 9.00', 'nut 2 3.00'],
  ],
  [
    'my line and their line',
    ['bolt 1 2.00', 'nut 2 3.00', 'pin 1 1.00'],
    ['bolt 1 2.00', 'nut 2 3.00', 'rod 4 4.00'],
    ['bolt 1 2.00', 'nut 2 3.00', 'pin 1 1.00', 'rod 4 4.00'],
  ],
  [
    'my quantity and a line that they removed before it',
    ['bolt 1 2.00', 'nut 7 3.00'],
    ['nut 2 3.00'],
    ['nut 7 3.00'],
  ],
  [
    'my quantity and a line that they added before it',
    ['bolt 1 2.00', 'nut 7 3.00'],
    ['pin 1 1.00', 'bolt 1 2.00', 'nut 2 3.00'],
    ['bolt 1 2.00', 'nut 7 3.00', 'pin 1 1.00'],
  ],
  ['my removed line and their quantity', ['bolt 1 2.00'], ['bolt 5 2.00', 'nut 2 3.00'], ['bolt 5 2.00']],
  [
    'my item and their other line',
    ['bolt 1 2.00', 'pin 2 1.00'],
    ['bolt 5 2.00', 'nut 2 3.00'],
    ['bolt 5 2.00', 'pin 2 1.00'],
  ],
  [
    'one value that both changed is mine',
    ['bolt 7 2.00', 'nut 2 3.00'],
    ['bolt 8 2.00', 'nut 2 3.00'],
    ['bolt 7 2.00', 'nut 2 3.00'],
  ],
  [
    'the same change of both, and another of mine',
    ['bolt 7 2.00', 'pin 1 1.00'],
    ['bolt 1 2.00', 'pin 1 1.00'],
    ['bolt 7 2.00', 'pin 1 1.00'],
  ],
  [
    'my unfinished line and their line',
    ['bolt 1 2.00', 'nut 2 3.00', ' 1 '],
    ['nut 2 3.00'],
    ['nut 2 3.00', ' 1 '],
  ],
])('lines that can be combined: %s', (_, mine, theirs, combined) => {
  const versions = { base, mine: form('1 May', ...mine), theirs: form('2 May', ...theirs) }
  for (const lines of [undefined, 'mine', 'theirs'] as const) {
    expect(rebase(versions, { lineKey: 'itemId', lines })).toEqual(form('2 May', ...combined))
  }
})

test.each([
  ['I changed a line that they removed', ['bolt 7 2.00', 'nut 2 3.00'], ['nut 2 3.00']],
  ['I removed a line that they changed', ['nut 2 3.00'], ['bolt 7 2.00', 'nut 2 3.00']],
  [
    'I changed the item of a line that they changed',
    ['pin 1 2.00', 'nut 2 3.00'],
    ['bolt 7 2.00', 'nut 2 3.00'],
  ],
  ['I changed the item of a line that they removed', ['pin 1 2.00', 'nut 2 3.00'], ['nut 2 3.00']],
  ['both changed the item of a line', ['pin 1 2.00', 'nut 2 3.00'], ['rod 1 2.00', 'nut 2 3.00']],
  [
    'both added the same item',
    ['bolt 1 2.00', 'nut 2 3.00', 'pin 1 1.00'],
    ['bolt 1 2.00', 'nut 2 3.00', 'pin 2 1.00'],
  ],
  [
    'they added an item of mine, which I changed',
    ['bolt 7 2.00', 'nut 2 3.00'],
    ['bolt 1 2.00', 'nut 2 3.00', 'bolt 3 2.00'],
  ],
])('lines between which the user must choose: %s', (_, mine, theirs) => {
  const versions = { base, mine: form('3 May', ...mine), theirs: form('2 May', ...theirs) }
  expect(rebase(versions, { lineKey: 'itemId' })).toBeNull()
  expect(rebase(versions, { lineKey: 'itemId', lines: 'mine' })).toEqual(form('3 May', ...mine))
  expect(rebase(versions, { lineKey: 'itemId', lines: 'theirs' })).toEqual(form('3 May', ...theirs))
})

test('several lines with the same item are combined only if nobody has moved them', () => {
  const twice = { base: form('', 'bolt 1 2.00', 'bolt 2 2.00'), mine: form('', 'bolt 1 2.00', 'bolt 7 2.00') }
  const combined = (...theirs: readonly string[]) =>
    rebase({ ...twice, theirs: form('', ...theirs) }, { lineKey: 'itemId' })
  expect(combined('bolt 5 2.00', 'bolt 2 2.00')).toEqual(form('', 'bolt 5 2.00', 'bolt 7 2.00'))
  expect(combined('bolt 2 2.00', 'bolt 3 2.00')).toBeNull()
  expect(combined('bolt 2 2.00')).toBeNull()
})
