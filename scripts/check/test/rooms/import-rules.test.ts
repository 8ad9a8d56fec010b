import { expect, test } from 'vitest'
import { check } from './fixture-tree.ts'

const notes = 'packages/notes/src'
const core = 'packages/core-audit/src'
const ui = 'packages/ui-client/src'

test.each([
  [
    'a package must not import a package on the same rung',
    `${notes}/module.ts`,
    "import { createAttachments } from '@vertical-kit/attachments'",
    'notes can import feature-flags, core-audit, not attachments',
  ],
  [
    'a package must not import internal tables of another package',
    `${notes}/queries/list-notes.ts`,
    "import type { outboxEvents } from '@vertical-kit/core-audit/schema/internal'",
    'the tables of @vertical-kit/core-audit/schema/internal are internal; read through @vertical-kit/core-audit/schema',
  ],
  [
    'an app must not import internal tables',
    'apps/demo-host/src/main.ts',
    "import { outboxEvents } from '@vertical-kit/core-audit/schema/internal'",
    'the tables of @vertical-kit/core-audit/schema/internal are internal; read through @vertical-kit/core-audit/schema',
  ],
  [
    'an imported package must exist',
    `${notes}/module.ts`,
    "import { createTags } from '@vertical-kit/tags'",
    '@vertical-kit/tags: the package does not exist in this repository',
  ],
  [
    'a lower rung must not import a higher one',
    `${core}/http/app.ts`,
    "import { createNotes } from '@vertical-kit/notes'",
    'core-audit can import no other package, not notes',
  ],
  [
    'feature-flags can import only core-audit',
    'packages/feature-flags/src/module.ts',
    "export { createNotes } from '@vertical-kit/notes'",
    'feature-flags can import core-audit, not notes',
  ],
  [
    'a type import counts as an import',
    `${core}/module.ts`,
    "import type { Notes } from '@vertical-kit/notes'",
    'core-audit can import no other package, not notes',
  ],
  [
    'an inline type import counts as an import',
    `${core}/module.ts`,
    "export type Notes = import('@vertical-kit/notes').Notes",
    'core-audit can import no other package, not notes',
  ],
  [
    'a dynamic import counts as an import',
    `${core}/module.ts`,
    "export const load = () => import('@vertical-kit/notes')",
    'core-audit can import no other package, not notes',
  ],
  [
    'the import direction also applies to tests',
    'packages/core-audit/test/app.test.ts',
    "import { createNotes } from '@vertical-kit/notes'",
    'core-audit can import no other package, not notes',
  ],
  [
    'an example must not import the demo',
    'examples/small-host.ts',
    "import { startHost } from '@vertical-kit/demo-host/host'",
    './ of examples can import webhooks, work-center, document-actions, attachments, notes, feature-flags, core-audit, dev-services, ui-client, not demo-host',
  ],
  [
    'a package must not import an app',
    `${notes}/module.ts`,
    "import { startHost } from '@vertical-kit/demo-host/host'",
    'notes can import feature-flags, core-audit, not demo-host',
  ],
  [
    'the sources of a package must not import dev-services',
    `${notes}/testing.ts`,
    "import { startPostgres } from '@vertical-kit/dev-services'",
    'dev-services is for tests and local runs; sources of a package must not import it',
  ],
  [
    'dev-services must not import other packages',
    'packages/dev-services/src/postgres/start.ts',
    "import { createDatabase } from '@vertical-kit/core-audit'",
    'dev-services can import no other package, not core-audit',
  ],
  [
    'the sources of ui-client must not import contracts of other packages',
    'packages/ui-client/src/wire/notes.ts',
    "import type { Note } from '@vertical-kit/notes/contract'",
    'ui-client can import no other package, not notes',
  ],
  [
    'a source must not import its own package by name',
    `${notes}/module.ts`,
    "import { note } from '@vertical-kit/notes/contract'",
    'a package does not import itself by name; use a relative path',
  ],
  [
    'an import must not use a deep path into a package',
    'apps/demo-host/src/main.ts',
    "import { createNotes } from '@vertical-kit/notes/src/module.ts'",
    '@vertical-kit/notes/src/module.ts is not an export of notes; its exports are ., ./contract',
  ],
  [
    'a package without exports cannot be imported',
    'scripts/release.ts',
    "import '@vertical-kit/benchmarks'",
    '@vertical-kit/benchmarks is not an export of benchmarks; its exports are nothing',
  ],
  [
    'a relative import must not reach another package',
    `${notes}/module.ts`,
    "import { createDatabase } from '../../core-audit/src/index.ts'",
    '../../core-audit/src/index.ts reaches into packages/core-audit; import @vertical-kit/core-audit',
  ],
  [
    'a test must not import the harness of another package',
    'packages/notes/test/harness.ts',
    "import { open } from '../../core-audit/test/harness.ts'",
    '../../core-audit/test/harness.ts reaches into packages/core-audit; import @vertical-kit/core-audit',
  ],
  [
    'a script must also use the front door of a package',
    'scripts/release.ts',
    "import { startPostgres } from '../packages/dev-services/src/index.ts'",
    '../packages/dev-services/src/index.ts reaches into packages/dev-services; import @vertical-kit/dev-services',
  ],
  [
    'a source must not import files outside its package',
    `${notes}/module.ts`,
    "import { shared } from '../../../vitest.shared.ts'",
    '../../../vitest.shared.ts leaves the package; the published tarball does not contain that file',
  ],
  [
    'the page of an app must not import server packages',
    'apps/demo-host/web/main.ts',
    "import { createNotes } from '@vertical-kit/notes'",
    'web/ of demo-host can import ui-client, not notes',
  ],
  [
    'a host must not import ui-client',
    'apps/demo-host/src/main.ts',
    "import { createNotes } from '@vertical-kit/ui-client/stores'",
    'src/ of demo-host can import webhooks, work-center, document-actions, attachments, notes, feature-flags, core-audit, dev-services, not ui-client',
  ],
  [
    'the page can import only the listed files of the host',
    'apps/demo-host/web/data/desk.ts',
    "import { createTrade } from '../../src/trade/some.ts'",
    'web/ can import src/page/page-routes.ts, src/page/signed-in-path.ts, src/trade/catalogs/contract.ts, src/trade/documents/fields.ts, src/trade/ledger/money.ts, src/trade/receivables/contract.ts from outside, not src/trade/some.ts',
  ],
  [
    'a host must not import its page',
    'apps/demo-host/src/main.ts',
    "import { openDesk } from '../web/data/some.ts'",
    'src/ can import nothing from outside, not web/data/some.ts',
  ],
  [
    'a source must not import a test',
    `${notes}/module.ts`,
    "import { open } from '../test/harness.ts'",
    'src/ can import nothing from outside, not test/harness.ts',
  ],
  [
    'the vertical of an app must not import the host',
    'apps/demo-host/src/trade/some.ts',
    "import { demoUsers } from '../demo-users.ts'",
    'trade/ can import no other room, not demo-users.ts',
  ],
  [
    'rooms of the vertical must follow their direction',
    'apps/demo-host/src/trade/documents/some.ts',
    "import { post } from '../actions/some.ts'",
    'documents/ can import creation.ts, list-query.ts, permissions.ts, type-rights.ts, value-schemas.ts, not actions/some.ts',
  ],
  [
    'an element must not import the client',
    `${ui}/elements/notes/panel.ts`,
    "import { send } from '../../client/some.ts'",
    'elements/ can import stores/, session/session.ts, client/kit-error.ts, client/on-demand.ts, wire/, not client/some.ts',
  ],
  [
    'a store must not import elements',
    `${ui}/stores/notes.ts`,
    "import { Panel } from '../elements/some.ts'",
    'stores/ can import session/, client/, wire/, not elements/some.ts',
  ],
  [
    'the import direction also applies to the front door of a room',
    `${ui}/stores/index.ts`,
    "export { Panel } from '../elements/some.ts'",
    'stores/ can import session/, client/, wire/, not elements/some.ts',
  ],
  [
    'the client must not import the session',
    `${ui}/client/client.ts`,
    "import type { Session } from '../session/some.ts'",
    'client/ can import wire/, not session/some.ts',
  ],
  [
    'wire types must not import other rooms',
    `${ui}/wire/notes.ts`,
    "import type { KitError } from '../client/kit-error.ts'",
    'wire/ can import no other room, not client/kit-error.ts',
  ],
  [
    'the rooms of dev-services must not import each other',
    'packages/dev-services/src/object-store/start.ts',
    "import { claim } from '../postgres/some.ts'",
    'object-store/ can import no other room, not postgres/some.ts',
  ],
])('%s', (_title, path, text, message) => {
  expect(check({ [path]: `\n${text}\n` })).toBe(`${path}:2: ${message}`)
})

test('the rules ignore imports in comments and strings', () => {
  expect(
    check({
      [`${core}/module.ts`]:
        "// import '@vertical-kit/notes'\nexport const text = \"from '@vertical-kit/notes'\"\n",
    }),
  ).toBe('')
})

test('the tests of ui-client can import all contracts', () => {
  expect(
    check({
      'packages/ui-client/test/wire.test.ts': "import type { Note } from '@vertical-kit/notes/contract'\n",
    }),
  ).toBe('')
})

test.each([
  ['its own room', `${ui}/elements/notes/panel.ts`, "import { row } from '../parts/row.ts'"],
  ['a lower room', `${ui}/elements/notes/panel.ts`, "import { openNotes } from '../../stores/some.ts'"],
  ['a planned file', `${ui}/elements/texts.ts`, "import type { E } from '../client/kit-error.ts'"],
  ['every room (front door)', `${ui}/index.ts`, "export { x } from './client/some.ts'"],
  ['any top-level file', 'apps/demo-host/web/views/list.ts', "import { icon } from '../icons.ts'"],
  ['a shared file', 'apps/demo-host/web/router.ts', "import { p } from '../src/page/page-routes.ts'"],
  ['any room (test file)', 'packages/dev-services/test/all.ts', "import '../src/postgres/some.ts'"],
])('a file can import %s', (_title, path, text) => {
  expect(check({ [path]: `${text}\n` })).toBe('')
})

test('tests can import their own package by name and shared setup by path', () => {
  expect(
    check({
      'packages/notes/test/note.test.ts':
        "import { createNotes } from '@vertical-kit/notes'\nimport '../../../vitest.shared.ts'\n",
    }),
  ).toBe('')
})
