import { expect, test } from 'vitest'
import { check } from './fixture-tree.ts'

const notes = 'packages/notes/src'
const core = 'packages/core-audit/src'

test.each([
  [
    'a package has a README',
    { 'packages/notes/README.md': undefined },
    'packages/notes/README.md: missing; every package has one',
  ],
  [
    'a package has a changelog',
    { 'packages/notes/CHANGELOG.md': undefined },
    'packages/notes/CHANGELOG.md: missing; every package has one',
  ],
  [
    'a package has a front door',
    { [`${notes}/index.ts`]: undefined },
    `${notes}/index.ts: missing; every package has one`,
  ],
  [
    'dev-services has a front door too',
    { 'packages/dev-services/src/index.ts': undefined },
    'packages/dev-services/src/index.ts: missing; every package has one',
  ],
  [
    'a new package needs a place in the plan',
    {
      'packages/tags/package.json': '{ "name": "@vertical-kit/tags" }',
      'packages/tags/README.md': '',
      'packages/tags/CHANGELOG.md': '',
      'packages/tags/src/index.ts': 'export {}',
    },
    'packages/tags: not in the floor plan; give it a place in scripts/check/rooms/floor-plan.ts',
  ],
  [
    'an unknown file at the top of src is no room',
    { [`${notes}/store.ts`]: '' },
    `${notes}/store.ts: not a room of notes; move it to the room it belongs to, or add it to the floor plan`,
  ],
  [
    'a room of one package is none of another',
    { [`${notes}/storage/s3.ts`]: '' },
    `${notes}/storage/: not a room of notes; move it to the room it belongs to, or add it to the floor plan`,
  ],
  [
    'a file does not stand in for a folder',
    { [`${notes}/commands.ts`]: '' },
    `${notes}/commands.ts: not a room of notes; move it to the room it belongs to, or add it to the floor plan`,
  ],
  [
    'the browser package has rooms of its own',
    { 'packages/ui-client/src/caches/notes.ts': '' },
    'packages/ui-client/src/caches/: not a room of ui-client; move it to the room it belongs to, or add it to the floor plan',
  ],
  [
    'dev-services has rooms of its own',
    { 'packages/dev-services/src/mail-server/start.ts': '' },
    'packages/dev-services/src/mail-server/: not a room of dev-services; move it to the room it belongs to, or add it to the floor plan',
  ],
  [
    'a folder of an app is a room',
    { 'apps/demo-host/web/widgets/button.ts': '' },
    'apps/demo-host/web/widgets/: not a room of demo-host; move it to the room it belongs to, or add it to the floor plan',
  ],
  [
    'a folder of the vertical is a room',
    { 'apps/demo-host/src/trade/shipping/ship.ts': '' },
    'apps/demo-host/src/trade/shipping/: not a room of demo-host; move it to the room it belongs to, or add it to the floor plan',
  ],
  [
    'a folder of the benchmarks is a room',
    { 'benchmarks/src/graphs/draw.ts': '' },
    'benchmarks/src/graphs/: not a room of benchmarks; move it to the room it belongs to, or add it to the floor plan',
  ],
  [
    'an example is one file',
    { 'examples/shop/orders.ts': '' },
    'examples/shop/: not a room of examples; move it to the room it belongs to, or add it to the floor plan',
  ],
  [
    'sources are in a tree of the plan',
    { 'packages/notes/scripts/release.ts': '', 'packages/notes/scripts/pack.ts': '' },
    'packages/notes/scripts/: not in the floor plan; give it a place in scripts/check/rooms/floor-plan.ts',
  ],
  [
    'a new app needs a place in the plan',
    { 'apps/mobile/package.json': '{ "name": "@vertical-kit/mobile" }' },
    'apps/mobile: not in the floor plan; give it a place in scripts/check/rooms/floor-plan.ts',
  ],
  [
    'the plan names no room that is gone',
    { 'packages/attachments/src/expiration.ts': undefined },
    'packages/attachments/src/expiration.ts: in the floor plan, but not there; take it out of scripts/check/rooms/floor-plan.ts',
  ],
  [
    'the plan names no file that is gone',
    { 'apps/demo-host/src/page/page-routes.ts': undefined },
    'apps/demo-host/src/page/page-routes.ts: in the floor plan, but not there; take it out of scripts/check/rooms/floor-plan.ts',
  ],
  [
    'a vague file name is refused anywhere',
    { 'apps/demo-host/src/trade/utils.ts': '' },
    'apps/demo-host/src/trade/utils.ts: "utils" does not say what is inside; name it after its one concept',
  ],
  [
    'a vague test name is refused',
    { 'packages/notes/test/helpers.test.ts': '' },
    'packages/notes/test/helpers.test.ts: "helpers" does not say what is inside; name it after its one concept',
  ],
  [
    'a vague folder name is refused',
    { [`${core}/http/types/problem.ts`]: '' },
    `${core}/http/types/problem.ts: "types" does not say what is inside; name it after its one concept`,
  ],
])('%s', (_title, changes, expected) => {
  expect(check(changes)).toBe(expected)
})

test('a package may use its extra rooms, and tests and configuration lie beside them', () => {
  expect(
    check({
      'packages/attachments/src/storage/s3.ts': '',
      'packages/attachments/src/commands/complete-upload.ts': '',
      'packages/dev-services/src/object-store/put.ts': '',
      'packages/notes/test/routes/add-note.test.ts': '',
      'packages/notes/vitest.config.ts': '',
      'apps/demo-host/src/settings.ts': '',
    }),
  ).toBe('')
})
