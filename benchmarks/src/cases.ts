import type { CaseRequest } from './measure.ts'

/** One endpoint under load, and the share of the bare server's throughput it must keep. */
export interface BenchmarkCase {
  readonly name: string
  readonly target: number
  requests(parents: readonly string[]): readonly CaseRequest[]
}

const typeCode = 'trade.sales_invoice'
const on = (id: string): string => `kind=Document&typeCode=${typeCode}&objectId=${id}`

const reading = (name: string, target: number, path: string): BenchmarkCase => ({
  name,
  target,
  requests: (parents) => parents.map((id) => ({ method: 'GET', path: `${path}?${on(id)}` })),
})

export const listNotes = reading('list notes', 0.5, '/api/notes')

/** In the order they are run: writing comes last, so that lists are measured on what was filled in. */
export const cases: readonly BenchmarkCase[] = [
  { name: 'features', target: 0.6, requests: () => [{ method: 'GET', path: '/api/features' }] },
  listNotes,
  reading('list attachments', 0.5, '/api/attachments'),
  reading('content summary', 0.5, '/api/business-objects/content-summary'),
  {
    name: 'create note',
    target: 0.6,
    requests: (parents) =>
      parents.map((id) => ({
        method: 'POST',
        path: '/api/notes',
        body: {
          target: { kind: 'Document', typeCode, id },
          text: 'Spoke to the customer; delivery before noon.',
        },
      })),
  },
]
