import { expect, test } from 'vitest'
import { type FileSort, filesIn } from '../src/elements/attachments/files-view.ts'
import { knownNames } from '../src/elements/attachments/same-names.ts'
import { selectionAfter } from '../src/elements/attachments/selected-range.ts'
import type { Attachment } from '../src/index.ts'

const fileOf = (fileName: string, sizeBytes: number, createdByDisplayName = 'Clara'): Attachment => ({
  id: fileName,
  target: { kind: 'Document', typeCode: 'trade.sales_invoice', id: '1' },
  fileName,
  contentType: 'text/plain',
  sizeBytes,
  status: 'ready',
  createdAtUtc: '2026-11-23T00:00:00.000Z',
  createdByUserId: '1',
  createdByDisplayName,
  completedAtUtc: null,
  sha256: null,
})

const files = [fileOf('b10.txt', 1), fileOf('B9.csv', 3, 'Carl Öst'), fileOf('a.txt', 2)]

test.each<[FileSort, readonly string[]]>([
  ['newest', ['b10.txt', 'B9.csv', 'a.txt']],
  ['oldest', ['a.txt', 'B9.csv', 'b10.txt']],
  ['name', ['a.txt', 'B9.csv', 'b10.txt']],
  ['size', ['B9.csv', 'a.txt', 'b10.txt']],
  ['type', ['B9.csv', 'a.txt', 'b10.txt']],
])('files are ordered by %s', (sort, expected) => {
  expect(filesIn({ query: '', sort }, files).map(({ fileName }) => fileName)).toEqual(expected)
})

test.each([
  ['B', ['b10.txt', 'B9.csv']],
  [' ost ', ['B9.csv']],
  ['clara', ['b10.txt', 'a.txt']],
  ['x.y', []],
])('the search %j compares names and authors without case and accents', (query, expected) => {
  expect(filesIn({ query, sort: 'newest' }, files).map(({ fileName }) => fileName)).toEqual(expected)
})

test('names of new files are compared with known names as the service stores them, and numbered', () => {
  const names = knownNames([{ fileName: 'Ü.tar.gz' }, { fileName: 'a' }, { fileName: 'a (2)' }])
  const [known, other, twice] = ['U\u0308.tar\u202e.gz', 'new.txt', 'new.txt'].map(
    (name) => new File([], name),
  )
  const added = [known, other, twice].map((file) => file !== undefined && names.add(file))
  expect(added).toEqual([false, true, false])
  const numbered = names.number([new File(['x'], 'a', { type: 'text/plain' }), new File([], 'Ü.tar.gz')])
  expect(numbered.map(({ name, type, size }) => [name, type, size])).toEqual([
    ['a (3)', 'text/plain', 1],
    ['Ü.tar (2).gz', '', 0],
  ])
})

test.each([
  [{ id: 'c', isSelected: true, isRange: true }, 'a', ['a', 'b', 'c']],
  [{ id: 'a', isSelected: true, isRange: true }, 'c', ['a', 'b', 'c']],
  [{ id: 'c', isSelected: true, isRange: true }, 'hidden', ['a', 'c']],
  [{ id: 'c', isSelected: true, isRange: true }, null, ['a', 'c']],
  [{ id: 'b', isSelected: false, isRange: true }, 'a', []],
  [{ id: 'b', isSelected: true, isRange: false }, 'd', ['a', 'b']],
])('after the click %j with the last row %j, %j are selected', (choice, anchor, expected) => {
  const selected = selectionAfter(new Set(['a']), choice, { ids: ['a', 'b', 'c', 'd'], anchor })
  expect([...selected].toSorted()).toEqual(expected)
})
