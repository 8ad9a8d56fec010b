import { posix } from 'node:path'
import { formatFindings } from '../../finding.ts'
import { floorPlan, treePlan } from '../../rooms/floor-plan.ts'
import { roomsFindings } from '../../rooms/rooms.ts'

const manifest = (name: string, ...exported: string[]) =>
  JSON.stringify({
    name: `@vertical-kit/${name}`,
    exports: Object.fromEntries(exported.map((subpath) => [subpath, './some.ts'])),
  })

/** Creates an empty file for every planned file and room. */
function plannedFiles(): Record<string, string> {
  const names = [
    ...Object.entries(floorPlan).flatMap(([id, { extraRooms, roomImports = {} }]) =>
      [...extraRooms, ...Object.values(roomImports).flat()].map((name) => `packages/${id}/src/${name}`),
    ),
    ...Object.entries(treePlan).flatMap(([id, trees]) =>
      Object.entries(trees).flatMap(([path, { rooms, roomImports = {}, outside = [] }]) => {
        const inTree = [...rooms, ...Object.values(roomImports).flat()].map((name) => posix.join(path, name))
        const folder = id === 'benchmarks' || id === 'examples' ? id : `apps/${id}`
        return [...inTree, ...outside].map((name) => posix.join(folder, name))
      }),
    ),
  ]
  const paths = names.map((name) => name.replace('*.ts', 'some.ts').replace(/\/$/, '/some.ts'))
  return Object.fromEntries(paths.map((path) => [path, '']))
}

const files: Record<string, string> = {
  ...plannedFiles(),
  'packages/core-audit/package.json': manifest('core-audit', '.', './contract'),
  'packages/core-audit/README.md': '',
  'packages/core-audit/CHANGELOG.md': '',
  'packages/core-audit/src/index.ts': "export { createDatabase } from './database/database.ts'\n",
  'packages/core-audit/src/contract.ts': "export { problem } from './http/contract.ts'\n",
  'packages/core-audit/src/http/contract.ts':
    "import * as v from 'valibot'\n/** A refusal. */\nexport const problem = v.object({})\n",
  'packages/core-audit/src/database/database.ts': "import postgres from 'postgres'\n",
  'packages/attachments/package.json': manifest('attachments', '.', './contract'),
  'packages/attachments/README.md': '',
  'packages/attachments/CHANGELOG.md': '',
  'packages/attachments/src/index.ts': 'export {}\n',
  'packages/feature-flags/package.json': manifest('feature-flags', '.', './contract'),
  'packages/feature-flags/README.md': '',
  'packages/feature-flags/CHANGELOG.md': '',
  'packages/feature-flags/src/index.ts': 'export {}\n',
  'packages/notes/package.json': manifest('notes', '.', './contract'),
  'packages/notes/README.md': '',
  'packages/notes/CHANGELOG.md': '',
  'packages/notes/src/index.ts':
    "export { createNotes } from './module.ts'\nexport type { Note } from './contract.ts'\n",
  'packages/notes/src/contract.ts': "import { problem } from '@vertical-kit/core-audit/contract'\n",
  'packages/notes/src/module.ts': "import { createDatabase } from '@vertical-kit/core-audit'\n",
  'packages/notes/test/notes.test.ts': "import { startPostgres } from '@vertical-kit/dev-services'\n",
  'packages/document-actions/package.json': manifest('document-actions', '.', './contract'),
  'packages/document-actions/README.md': '',
  'packages/document-actions/CHANGELOG.md': '',
  'packages/document-actions/src/index.ts': 'export {}\n',
  'packages/work-center/package.json': manifest('work-center', '.', './contract'),
  'packages/work-center/README.md': '',
  'packages/work-center/CHANGELOG.md': '',
  'packages/work-center/src/index.ts': 'export {}\n',
  'packages/ui-client/package.json': manifest('ui-client', '.', './stores'),
  'packages/ui-client/README.md': '',
  'packages/ui-client/CHANGELOG.md': '',
  'packages/ui-client/src/index.ts': 'export {}\n',
  'packages/dev-services/package.json': manifest('dev-services', '.'),
  'packages/dev-services/README.md': '',
  'packages/dev-services/CHANGELOG.md': '',
  'packages/dev-services/src/index.ts': "export { startPostgres } from './postgres/start.ts'\n",
  'packages/dev-services/src/postgres/start.ts':
    '/** Starts it. */\nexport const startPostgres = () => undefined\n',
  'apps/demo-host/package.json': manifest('demo-host', './host'),
  'apps/demo-host/src/main.ts':
    "import { createNotes } from '@vertical-kit/notes'\nconst port = process.env.PORT\n",
  'benchmarks/package.json': manifest('benchmarks'),
  'benchmarks/src/main.ts': "import { startHost } from '@vertical-kit/demo-host/host'\n",
  'examples/package.json': manifest('examples'),
  'examples/small-host.ts': "import { createNotes } from '@vertical-kit/notes'\n",
  'scripts/check.ts': 'console.log(process.env)\n',
}

/**
 * Returns the findings for a small valid repository after these changes. A text adds or replaces a file, and undefined
 * removes a file.
 */
export function check(changes: Record<string, string | undefined>): string {
  const present = Object.entries({ ...files, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return formatFindings(roomsFindings(new Map(present)))
}
