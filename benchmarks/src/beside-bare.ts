import { compareLatency, compareThroughput, type Finding, type Plan } from './compare.ts'
import * as endpoints from './endpoints.ts'
import { type Bench, openBench, type Setup } from './hosts.ts'

/** The endpoints with their minimum share of the bare throughput. Writes are last, because they make lists longer. */
const besideBare: readonly (readonly [endpoints.Endpoint, number])[] = [
  [endpoints.features, 0.6],
  [endpoints.listNotes, 0.5],
  [endpoints.listAttachments, 0.5],
  [endpoints.contentSummary, 0.5],
  [endpoints.editorState, 0.5],
  [endpoints.createNote, 0.6],
  [endpoints.execute, 0.6],
]

const perDocument = { notesPerDocument: 50, attachmentsPerDocument: 50 }

/** Compares a host with a bare server on the same database. Also compares latencies of hosts, and measures idle memory. */
export async function compareBesideBare(
  plan: Plan,
): Promise<{ readonly findings: Finding[]; readonly idleMegabytes: number }> {
  const bench = await openBench({ isOnDisk: false })
  try {
    const host = await bench.setUp('bench_large', { documents: plan.documents, ...perDocument })
    const idleMegabytes = host.server.residentBytes() / 1024 / 1024
    const findings = [
      ...(await compareSizes(bench, host, plan)),
      ...(await compareWithBare(bench, host, plan)),
      ...(await compareReplay(host, plan)),
    ]
    return { findings, idleMegabytes }
  } finally {
    await bench.close()
  }
}

async function compareSizes(bench: Bench, large: Setup, plan: Plan): Promise<readonly Finding[]> {
  const name = `list notes: ${(plan.documents * perDocument.notesPerDocument).toLocaleString('en')} rows`
  if (!plan.isChosen(name)) return []
  const small = await bench.setUp('bench_small', { documents: 200, ...perDocument })
  const sides = [
    { label: 'many', drive: await endpoints.listNotes.open(large), target: large.host },
    { label: '10,000', drive: await endpoints.listNotes.open(small), target: small.host },
  ] as const
  return [await compareLatency(name, sides, { most: 1.2, plan })]
}

async function compareWithBare(bench: Bench, setup: Setup, plan: Plan): Promise<readonly Finding[]> {
  const bare = await bench.startBare(setup)
  const findings: Finding[] = []
  for (const [endpoint, least] of besideBare) {
    if (!plan.isChosen(endpoint.name)) continue
    // Both sides use the same load, because each server continues with documents that the other has changed.
    const drive = await endpoint.open(setup)
    const sides = [
      { label: 'host', drive, target: setup.host },
      { label: 'bare', drive, target: bare },
    ] as const
    findings.push(await compareThroughput(endpoint.name, sides, { least, plan }))
  }
  return findings
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
