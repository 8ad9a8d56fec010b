import { expect, test } from 'vitest'
import { check } from './fixture-tree.ts'

const notes = 'packages/notes/src'
const core = 'packages/core-audit/src'

test.each([
  [
    'a package does not import one beside it',
    `${notes}/module.ts`,
    "import { createAttachments } from '@vertical-kit/attachments'",
    'notes may import feature-flags, core-audit, not attachments',
  ],
  [
    'a package does not import the internal tables of another',
    `${notes}/queries/list-notes.ts`,
    "import type { outboxEvents } from '@vertical-kit/core-audit/schema/internal'",
    'the tables of @vertical-kit/core-audit/schema/internal are its own; read through @vertical-kit/core-audit/schema',
  ],
  [
    'an app does not import internal tables either',
    'apps/demo-host/src/main.ts',
    "import { outboxEvents } from '@vertical-kit/core-audit/schema/internal'",
    'the tables of @vertical-kit/core-audit/schema/internal are its own; read through @vertical-kit/core-audit/schema',
  ],
  [
    'a package must exist to be imported',
    `${notes}/module.ts`,
    "import { createTags } from '@vertical-kit/tags'",
    '@vertical-kit/tags: there is no such package here',
  ],
  [
    'a lower rung does not import a higher one',
    `${core}/http/app.ts`,
    "import { createNotes } from '@vertical-kit/notes'",
    'core-audit may import no other package, not notes',
  ],
  [
    'the middle rung imports only the kernel',
    'packages/feature-flags/src/module.ts',
    "export { createNotes } from '@vertical-kit/notes'",
    'feature-flags may import core-audit, not notes',
  ],
  [
    'a type is an import',
    `${core}/module.ts`,
    "import type { Notes } from '@vertical-kit/notes'",
    'core-audit may import no other package, not notes',
  ],
  [
    'a type in place is an import',
    `${core}/module.ts`,
    "export type Notes = import('@vertical-kit/notes').Notes",
    'core-audit may import no other package, not notes',
  ],
  [
    'a dynamic import is an import',
    `${core}/module.ts`,
    "export const load = () => import('@vertical-kit/notes')",
    'core-audit may import no other package, not notes',
  ],
  [
    'a test keeps to the direction too',
    'packages/core-audit/test/app.test.ts',
    "import { createNotes } from '@vertical-kit/notes'",
    'core-audit may import no other package, not notes',
  ],
  [
    'a package does not import an app',
    `${notes}/module.ts`,
    "import { startHost } from '@vertical-kit/demo-host/host'",
    'notes may import feature-flags, core-audit, not demo-host',
  ],
  [
    'the sources of a package do without dev-services',
    `${notes}/testing.ts`,
    "import { startPostgres } from '@vertical-kit/dev-services'",
    "dev-services is for tests and local runs; a package's sources do without it",
  ],
  [
    'dev-services imports no package',
    'packages/dev-services/src/postgres/start.ts',
    "import { createDatabase } from '@vertical-kit/core-audit'",
    'dev-services may import no other package, not core-audit',
  ],
  [
    'the sources of the browser package import no contract, since it would have to be installed with them',
    'packages/ui-client/src/wire/notes.ts',
    "import type { Note } from '@vertical-kit/notes/contract'",
    'ui-client may import no other package, not notes',
  ],
  [
    'a source does not import its own package by name',
    `${notes}/module.ts`,
    "import { note } from '@vertical-kit/notes/contract'",
    'a package does not import itself by name; use a relative path',
  ],
  [
    'a deep path is no way in',
    'apps/demo-host/src/main.ts',
    "import { createNotes } from '@vertical-kit/notes/src/module.ts'",
    '@vertical-kit/notes/src/module.ts is not a way into notes; it exports ., ./contract',
  ],
  [
    'a package without exports has no way in',
    'scripts/release.ts',
    "import '@vertical-kit/benchmarks'",
    '@vertical-kit/benchmarks is not a way into benchmarks; it exports nothing',
  ],
  [
    'a relative path does not reach another package',
    `${notes}/module.ts`,
    "import { createDatabase } from '../../core-audit/src/index.ts'",
    '../../core-audit/src/index.ts reaches into packages/core-audit; import @vertical-kit/core-audit',
  ],
  [
    'a test does not borrow the harness of another package',
    'packages/notes/test/harness.ts',
    "import { open } from '../../core-audit/test/harness.ts'",
    '../../core-audit/test/harness.ts reaches into packages/core-audit; import @vertical-kit/core-audit',
  ],
  [
    'a script uses the front door as well',
    'scripts/release.ts',
    "import { startPostgres } from '../packages/dev-services/src/index.ts'",
    '../packages/dev-services/src/index.ts reaches into packages/dev-services; import @vertical-kit/dev-services',
  ],
  [
    'a source does not leave its package',
    `${notes}/module.ts`,
    "import { shared } from '../../../vitest.shared.ts'",
    '../../../vitest.shared.ts leaves the package; what it reaches is not in the published tarball',
  ],
])('%s', (_title, path, text, message) => {
  expect(check({ [path]: `\n${text}\n` })).toBe(`${path}:2: ${message}`)
})

test('an import named in a comment or a text is none', () => {
  expect(
    check({
      [`${core}/module.ts`]:
        "// import '@vertical-kit/notes'\nexport const text = \"from '@vertical-kit/notes'\"\n",
    }),
  ).toBe('')
})

test('the tests of the browser package hold it to the contracts of all', () => {
  expect(
    check({
      'packages/ui-client/test/wire.test.ts': "import type { Note } from '@vertical-kit/notes/contract'\n",
    }),
  ).toBe('')
})

test('tests use their own package by name, and shared set-up by path', () => {
  expect(
    check({
      'packages/notes/test/note.test.ts':
        "import { createNotes } from '@vertical-kit/notes'\nimport '../../../vitest.shared.ts'\n",
    }),
  ).toBe('')
})
