import { compareThroughput, type Plan } from './compare.ts'
import * as endpoints from './endpoints.ts'
import type { Finding } from './finding.ts'
import { openBench, type Setup } from './hosts.ts'

/** The endpoints with their minimum share of the bare throughput. Writes are last, because they make lists longer. */
const besideBare: readonly (readonly [endpoints.Endpoint, number])[] = [
  [endpoints.features, 0.7],
  [endpoints.listNotes, 0.85],
  [endpoints.listAttachments, 0.85],
  [endpoints.contentSummary, 0.65],
  [endpoints.editorState, 0.75],
  [endpoints.createNote, 0.75],
  [endpoints.execute, 0.95],
]

/** Compares a host with a bare server on the same database, a repetition with a read, and a batch with single actions. */
export async function compareBesideBare(plan: Plan): Promise<readonly Finding[]> {
  const chosen = besideBare.filter(([{ name }]) => plan.isChosen(name))
  const { batch, replay } = endpoints
  if (chosen.length === 0 && ![batch, replay].some(({ name }) => plan.isChosen(name))) return []
  const bench = await openBench({ isOnDisk: false })
  try {
    const size = { documents: plan.documents, notesPerDocument: 50, attachmentsPerDocument: 50 }
    const setup = await bench.setUp('bench_large', size)
    const bare = await bench.startBare(setup)
    const findings: Finding[] = []
    for (const [endpoint, least] of chosen) {
      // Both sides use the same load, because each server continues with documents that the other has changed.
      const drive = await endpoint.open(setup)
      const sides = [
        { label: 'host', drive, target: setup.host },
        { label: 'bare', drive, target: bare },
      ] as const
      findings.push(await compareThroughput(endpoint.name, sides, { least, plan }))
    }
    return [...findings, ...(await compareReplay(setup, plan)), ...(await compareBatch(setup, plan))]
  } finally {
    await bench.close()
  }
}

async function compareReplay(setup: Setup, plan: Plan): Promise<readonly Finding[]> {
  const { replay, editorState } = endpoints
  if (!plan.isChosen(replay.name)) return []
  const sides = [
    { label: 'replay', drive: await replay.open(setup), target: setup.host },
    { label: 'editor state', drive: await editorState.open(setup), target: setup.host },
  ] as const
  return [await compareThroughput(replay.name, sides, { least: 0.8, plan })]
}

/** Compares a batch with the same actions in single requests, one after the other. */
async function compareBatch(setup: Setup, plan: Plan): Promise<readonly Finding[]> {
  const { batch, inSequence } = endpoints
  if (!plan.isChosen(batch.name)) return []
  const sides = [
    { label: 'batch', drive: await batch.open(setup), target: setup.host },
    { label: 'in sequence', drive: await inSequence.open(setup), target: setup.host },
  ] as const
  return [await compareThroughput(batch.name, sides, { least: 0.9, plan })]
}
