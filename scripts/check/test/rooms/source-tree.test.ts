import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readSourceTree } from '../../rooms/source-tree.ts'

test('readSourceTree reads the tree without installed and built files', () => {
  const root = mkdtempSync(join(tmpdir(), 'rooms-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const paths = [
    'packages/notes/package.json',
    'packages/notes/README.md',
    'packages/notes/CHANGELOG.md',
    'packages/notes/src/commands/add-note.ts',
    'packages/notes/dist/index.d.ts',
    'packages/notes/node_modules/hono/index.ts',
    'scripts/check.ts',
    'vitest.config.ts',
    'docs/README.md',
  ]
  for (const path of paths) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), `of ${path}`)
  }
  expect(Object.fromEntries(readSourceTree(root))).toEqual({
    'packages/notes/package.json': 'of packages/notes/package.json',
    'packages/notes/README.md': 'of packages/notes/README.md',
    'packages/notes/CHANGELOG.md': 'of packages/notes/CHANGELOG.md',
    'packages/notes/src/commands/add-note.ts': 'of packages/notes/src/commands/add-note.ts',
    'scripts/check.ts': 'of scripts/check.ts',
    'vitest.config.ts': 'of vitest.config.ts',
  })
})
