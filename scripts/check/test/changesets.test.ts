import { expect, test } from 'vitest'
import { checkChangeset } from '../changesets.ts'

const published = ['@vertical-kit/notes', '@vertical-kit/attachments']
const messagesOf = (text: string) =>
  checkChangeset('.changeset/a.md', text, published).map(({ message }) => message)

test('the check accepts a changeset with packages, bumps and a summary', () => {
  expect(messagesOf("---\n'@vertical-kit/notes': minor\n---\n\nNotes can be pinned.\n")).toEqual([])
})

test('the check accepts a changeset that releases no package', () => {
  expect(messagesOf('---\n---\n\nOnly the tests changed.\n')).toEqual([])
})

test.each([
  ['no front matter', 'Notes can be pinned.\n', 'no front matter between two lines of ---'],
  [
    'a package that is not published',
    "---\n'@vertical-kit/demo-host': patch\n---\n\nText.\n",
    '@vertical-kit/demo-host is not a published package here',
  ],
  [
    'an unknown bump',
    "---\n'@vertical-kit/notes': breaking\n---\n\nText.\n",
    '@vertical-kit/notes: breaking is not one of patch, minor, major',
  ],
  [
    'no summary',
    "---\n'@vertical-kit/notes': patch\n---\n\n",
    'no summary: write one sentence for the upgrading user',
  ],
])('the check rejects a changeset with %s', (_title, text, message) => {
  expect(messagesOf(text)).toEqual([message])
})
