import { expect, test } from 'vitest'
import { summarizeCpu } from '../src/profile/summarize-cpu.ts'

const node = (id: number, functionName: string, url: string) => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
})

test('the time of functions and packages is counted per request, without waiting', () => {
  const { packages, functions } = summarizeCpu(
    {
      nodes: [
        node(1, '(idle)', ''),
        node(2, 'addNote', 'file:///kit/packages/notes/dist/commands/add-note.js'),
        node(
          3,
          'DataRow',
          'file:///kit/node_modules/.pnpm/postgres@3.4.9/node_modules/postgres/src/connection.js',
        ),
        node(4, '(garbage collector)', ''),
        node(5, 'listNotes', 'file:///kit/packages/notes/dist/queries/list-notes.js'),
        node(6, 'post', 'node:inspector'),
      ],
      samples: [1, 2, 2, 3, 4, 5, 6],
      timeDeltas: [10_000, 100, 200, 300, 100, 300, 5_000],
    },
    10,
  )
  expect(packages).toEqual([
    { name: 'notes', share: 0.6, microseconds: 60 },
    { name: 'postgres', share: 0.3, microseconds: 30 },
    { name: 'garbage collector', share: 0.1, microseconds: 10 },
  ])
  expect(functions[0]).toEqual({ name: 'addNote (notes add-note.js:10)', share: 0.3, microseconds: 30 })
})
