import { expect, test } from 'vitest'
import { getDependencyReleaseLine, getReleaseLine } from '../../release/changelog.ts'
import { joinEntries } from '../../release/changelog-entries.ts'

const title = '# @vertical-kit/notes\n\n'
const first = '## 2.0.0\n\nThe first release: notes on business objects.\n'
const change = '### Minor Changes\n\n- Notes can be pinned.\n'

test('the sentences of a version that is not published yet follow the text of its entry', () => {
  expect(joinEntries(`${title}## 2.0.0\n\n${change}\n${first}`, '2.0.0')).toBe(`${title}${first}\n${change}`)
})

test('the entries of older releases stay below', () => {
  const older = '## 1.9.0\n\nNotes are sorted.\n\n## 1.8.0\n\nNotes are plain text.\n'
  expect(joinEntries(`${title}## 2.0.0\n\n${change}\n${first}\n${older}`, '2.0.0')).toBe(
    `${title}${first}\n${change}\n${older}`,
  )
})

test('a package without changes keeps its entry', () => {
  expect(joinEntries(`${title}## 2.0.0\n\nNo changes in this release.\n\n${first}`, '2.0.0')).toBe(
    `${title}${first}`,
  )
})

test('the entry of the next version stays an entry of its own', () => {
  const text = `${title}## 2.1.0\n\n${change}\n${first}`
  expect(joinEntries(text, '2.0.0')).toBe(text)
})

test('a changelog has the sentence of a changeset, without a hash and without updated dependencies', async () => {
  expect(await getReleaseLine({ summary: 'Notes can be pinned.\n\nUnpin them first.\n' })).toBe(
    '- Notes can be pinned.\n\n  Unpin them first.',
  )
  expect(await getDependencyReleaseLine()).toBe('')
})
