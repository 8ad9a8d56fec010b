import { expect, test } from 'vitest'
import { getDependencyReleaseLine, getReleaseLine } from '../../release/changelog.ts'
import { joinEntries } from '../../release/changelog-entries.ts'

const title = '# @vertical-kit/notes\n\n'
const first = '## 2.0.0\n\nThe first release: notes on business objects.\n'
const change = '### Minor Changes\n\n- Notes can be pinned.\n'

test('joinEntries adds the new sentences of an unpublished version after its existing text', () => {
  expect(joinEntries(`${title}## 2.0.0\n\n${change}\n${first}`, '2.0.0')).toBe(`${title}${first}\n${change}`)
})

test('joinEntries keeps the entries of older releases below the new entry', () => {
  const older = '## 1.9.0\n\nNotes are sorted.\n\n## 1.8.0\n\nNotes are plain text.\n'
  expect(joinEntries(`${title}## 2.0.0\n\n${change}\n${first}\n${older}`, '2.0.0')).toBe(
    `${title}${first}\n${change}\n${older}`,
  )
})

test('joinEntries keeps the existing entry of a package without changes', () => {
  expect(joinEntries(`${title}## 2.0.0\n\nNo changes in this release.\n\n${first}`, '2.0.0')).toBe(
    `${title}${first}`,
  )
})

test('joinEntries does not join the entries of two different versions', () => {
  const text = `${title}## 2.1.0\n\n${change}\n${first}`
  expect(joinEntries(text, '2.0.0')).toBe(text)
})

test('a list item contains the sentence of a changeset without a hash or updated dependencies', async () => {
  expect(await getReleaseLine({ summary: 'Notes can be pinned.\n\nUnpin them first.\n' })).toBe(
    '- Notes can be pinned.\n\n  Unpin them first.',
  )
  expect(await getDependencyReleaseLine()).toBe('')
})
