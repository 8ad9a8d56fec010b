import { expect, test } from 'vitest'
import { check } from './fixture-tree.ts'

const notes = 'packages/notes/src'
const core = 'packages/core-audit/src'
const ui = 'packages/ui-client/src'

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
    'an example imports only what it may use',
    'examples/small-host.ts',
    "import { connect } from '@vertical-kit/ui-client'",
    './ of examples may import work-center, document-actions, attachments, notes, feature-flags, core-audit, dev-services, not ui-client',
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
  [
    'the page of an app talks to the host over HTTP alone',
    'apps/demo-host/web/main.ts',
    "import { createNotes } from '@vertical-kit/notes'",
    'web/ of demo-host may import ui-client, not notes',
  ],
  [
    'a host has no page in it',
    'apps/demo-host/src/main.ts',
    "import { createNotes } from '@vertical-kit/ui-client/stores'",
    'src/ of demo-host may import work-center, document-actions, attachments, notes, feature-flags, core-audit, dev-services, not ui-client',
  ],
  [
    'the page imports a few files of the host',
    'apps/demo-host/web/data/desk.ts',
    "import { createTrade } from '../../src/trade/some.ts'",
    'web/ may import src/page/page-routes.ts, src/page/signed-in-path.ts, src/trade/catalogs/contract.ts, src/trade/documents/fields.ts, src/trade/ledger/money.ts from outside, not src/trade/some.ts',
  ],
  [
    'a host does not import its page',
    'apps/demo-host/src/main.ts',
    "import { openDesk } from '../web/data/some.ts'",
    'src/ may import nothing from outside, not web/data/some.ts',
  ],
  [
    'a source does not import a test',
    `${notes}/module.ts`,
    "import { open } from '../test/harness.ts'",
    'src/ may import nothing from outside, not test/harness.ts',
  ],
  [
    'the vertical of an app knows no host',
    'apps/demo-host/src/trade/some.ts',
    "import { demoUsers } from '../demo-users.ts'",
    'trade/ may import no other room, not demo-users.ts',
  ],
  [
    'rooms of the vertical keep to their direction',
    'apps/demo-host/src/trade/documents/some.ts',
    "import { post } from '../actions/some.ts'",
    'documents/ may import permissions.ts, type-rights.ts, value-schemas.ts, not actions/some.ts',
  ],
  [
    'an element asks stores, never the client',
    `${ui}/elements/notes/panel.ts`,
    "import { send } from '../../client/some.ts'",
    'elements/ may import stores/, session/session.ts, client/kit-error.ts, wire/, not client/some.ts',
  ],
  [
    'a store knows no element',
    `${ui}/stores/notes.ts`,
    "import { Panel } from '../elements/some.ts'",
    'stores/ may import session/, client/, wire/, not elements/some.ts',
  ],
  [
    'a front door of a room keeps to the direction too',
    `${ui}/stores/index.ts`,
    "export { Panel } from '../elements/some.ts'",
    'stores/ may import session/, client/, wire/, not elements/some.ts',
  ],
  [
    'the client knows no session',
    `${ui}/client/client.ts`,
    "import type { Session } from '../session/some.ts'",
    'client/ may import wire/, not session/some.ts',
  ],
  [
    'wire types stand alone',
    `${ui}/wire/notes.ts`,
    "import type { KitError } from '../client/kit-error.ts'",
    'wire/ may import no other room, not client/kit-error.ts',
  ],
  [
    'the parts of dev-services stand beside each other',
    'packages/dev-services/src/object-store/start.ts',
    "import { claim } from '../postgres/some.ts'",
    'object-store/ may import no other room, not postgres/some.ts',
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

test.each([
  ['a room itself', `${ui}/elements/notes/panel.ts`, "import { row } from '../parts/row.ts'"],
  ['a room below', `${ui}/elements/notes/panel.ts`, "import { openNotes } from '../../stores/some.ts'"],
  ['a file that is named', `${ui}/elements/texts.ts`, "import type { E } from '../client/kit-error.ts'"],
  ['every room, from the front door', `${ui}/index.ts`, "export { x } from './client/some.ts'"],
  ['any file at the top', 'apps/demo-host/web/views/list.ts', "import { icon } from '../icons.ts'"],
  ['shared names', 'apps/demo-host/web/router.ts', "import { p } from '../src/page/page-routes.ts'"],
  ['any room, in a test', 'packages/dev-services/test/all.ts', "import '../src/postgres/some.ts'"],
])('a file may import %s', (_title, path, text) => {
  expect(check({ [path]: `${text}\n` })).toBe('')
})

test('tests use their own package by name, and shared set-up by path', () => {
  expect(
    check({
      'packages/notes/test/note.test.ts':
        "import { createNotes } from '@vertical-kit/notes'\nimport '../../../vitest.shared.ts'\n",
    }),
  ).toBe('')
})
