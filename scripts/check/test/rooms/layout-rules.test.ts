import { expect, test } from 'vitest'
import { check } from './fixture-tree.ts'

const notes = 'packages/notes/src'
const core = 'packages/core-audit/src'

test.each([
  [
    'a package needs a README',
    { 'packages/notes/README.md': undefined },
    'packages/notes/README.md: missing; every package needs one',
  ],
  [
    'a package needs a changelog',
    { 'packages/notes/CHANGELOG.md': undefined },
    'packages/notes/CHANGELOG.md: missing; every package needs one',
  ],
  [
    'a package needs a front door',
    { [`${notes}/index.ts`]: undefined },
    `${notes}/index.ts: missing; every package needs one`,
  ],
  [
    'dev-services also needs a front door',
    { 'packages/dev-services/src/index.ts': undefined },
    'packages/dev-services/src/index.ts: missing; every package needs one',
  ],
  [
    'a new package must be in the plan',
    {
      'packages/tags/package.json': '{ "name": "@vertical-kit/tags" }',
      'packages/tags/README.md': '',
      'packages/tags/CHANGELOG.md': '',
      'packages/tags/src/index.ts': 'export {}',
    },
    'packages/tags: not in the floor plan; add it to scripts/check/rooms/floor-plan.ts',
  ],
  [
    'an unknown file at the top of src is not allowed',
    { [`${notes}/store.ts`]: '' },
    `${notes}/store.ts: not a room of notes; move it to an existing room or add it to the floor plan`,
  ],
  [
    'an extra room of one package is not allowed in another package',
    { [`${notes}/storage/s3.ts`]: '' },
    `${notes}/storage/: not a room of notes; move it to an existing room or add it to the floor plan`,
  ],
  [
    'a file cannot replace a folder',
    { [`${notes}/commands.ts`]: '' },
    `${notes}/commands.ts: not a room of notes; move it to an existing room or add it to the floor plan`,
  ],
  [
    'ui-client must not have an unknown room',
    { 'packages/ui-client/src/caches/notes.ts': '' },
    'packages/ui-client/src/caches/: not a room of ui-client; move it to an existing room or add it to the floor plan',
  ],
  [
    'dev-services must not have an unknown room',
    { 'packages/dev-services/src/mail-server/start.ts': '' },
    'packages/dev-services/src/mail-server/: not a room of dev-services; move it to an existing room or add it to the floor plan',
  ],
  [
    'an app must not have an unknown folder',
    { 'apps/demo-host/web/widgets/button.ts': '' },
    'apps/demo-host/web/widgets/: not a room of demo-host; move it to an existing room or add it to the floor plan',
  ],
  [
    'the vertical must not have an unknown folder',
    { 'apps/demo-host/src/trade/shipping/ship.ts': '' },
    'apps/demo-host/src/trade/shipping/: not a room of demo-host; move it to an existing room or add it to the floor plan',
  ],
  [
    'the benchmarks must not have an unknown folder',
    { 'benchmarks/src/graphs/draw.ts': '' },
    'benchmarks/src/graphs/: not a room of benchmarks; move it to an existing room or add it to the floor plan',
  ],
  [
    'an example must be one file',
    { 'examples/shop/orders.ts': '' },
    'examples/shop/: not a room of examples; move it to an existing room or add it to the floor plan',
  ],
  [
    'sources must be in a planned tree',
    { 'packages/notes/scripts/release.ts': '', 'packages/notes/scripts/pack.ts': '' },
    'packages/notes/scripts/: not in the floor plan; add it to scripts/check/rooms/floor-plan.ts',
  ],
  [
    'a new app must be in the plan',
    { 'apps/mobile/package.json': '{ "name": "@vertical-kit/mobile" }' },
    'apps/mobile: not in the floor plan; add it to scripts/check/rooms/floor-plan.ts',
  ],
  [
    'the plan must not contain a missing room',
    { 'packages/attachments/src/expiration.ts': undefined },
    'packages/attachments/src/expiration.ts: in the floor plan, but missing; remove it from scripts/check/rooms/floor-plan.ts',
  ],
  [
    'the plan must not contain a missing file',
    { 'apps/demo-host/src/page/page-routes.ts': undefined },
    'apps/demo-host/src/page/page-routes.ts: in the floor plan, but missing; remove it from scripts/check/rooms/floor-plan.ts',
  ],
  [
    'a vague file name is rejected in every folder',
    { 'apps/demo-host/src/trade/utils.ts': '' },
    'apps/demo-host/src/trade/utils.ts: "utils" is too vague; name it after its one concept',
  ],
  [
    'a vague test name is rejected',
    { 'packages/notes/test/helpers.test.ts': '' },
    'packages/notes/test/helpers.test.ts: "helpers" is too vague; name it after its one concept',
  ],
  [
    'a vague folder name is rejected',
    { [`${core}/http/types/problem.ts`]: '' },
    `${core}/http/types/problem.ts: "types" is too vague; name it after its one concept`,
  ],
])('%s', (_title, changes, expected) => {
  expect(check(changes)).toBe(expected)
})

test('extra rooms of a package, tests and configuration are allowed', () => {
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
