import { setTimeout as delay, setInterval as every } from 'node:timers/promises'
import postgres from 'postgres'
import type { Plan } from './compare.ts'
import * as endpoints from './endpoints.ts'
import { type Finding, toFigure } from './finding.ts'
import { openBench, type Setup } from './hosts.ts'

const idle = 'memory of the idle host'
/** V8 returns the memory of a start to the system only when the process has been idle for two to three minutes. */
const untilIdleMs = 200_000
const loaded = 'memory at 32 connections'
const perEvent = 'disk per audit event'

/** The requests of a busy host. Every endpoint of the comparison with the bare server is part of it. */
const mixed = [
  ...[endpoints.features, endpoints.listNotes, endpoints.listAttachments, endpoints.contentSummary],
  ...[endpoints.editorState, endpoints.createNote, endpoints.execute],
]

/**
 * Measures the resident memory of an idle host before its first request and under load, and the disk space of the audit
 * events that the load has written, with their indexes.
 */
export async function measureFootprint(plan: Plan): Promise<readonly Finding[]> {
  if (![idle, loaded, perEvent].some(plan.isChosen)) return []
  const bench = await openBench({ isOnDisk: false })
  try {
    const setup = await bench.setUp('bench_footprint', {
      documents: 2_000,
      notesPerDocument: 20,
      attachmentsPerDocument: 20,
    })
    const findings: Finding[] = []
    const { server } = setup
    if (plan.isChosen(idle)) {
      await delay(untilIdleMs)
      findings.push(toFigure(idle, [megabytes(server.residentBytes())], { unit: 'MB', bound: { most: 110 } }))
    }
    const samples = await loadAll(setup, plan)
    if (plan.isChosen(loaded)) {
      findings.push(toFigure(loaded, samples.map(megabytes), { unit: 'MB', bound: { most: 180 } }))
    }
    if (plan.isChosen(perEvent)) {
      const value = await bytesPerRow(setup.databaseUrl, 'core_audit.audit_events')
      findings.push(toFigure(perEvent, [value], { unit: 'bytes', bound: { most: 400 } }))
    }
    return findings
  } finally {
    await bench.close()
  }
}

/** Loads all endpoints one after the other. Returns the resident memory in bytes, sampled ten times a second. */
async function loadAll(setup: Setup, { load }: Plan): Promise<readonly number[]> {
  const samples: number[] = []
  const stopping = new AbortController()
  const sampling = (async () => {
    for await (const _ of every(100, undefined, { signal: stopping.signal })) {
      samples.push(setup.server.residentBytes())
    }
  })().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error
  })
  for (const endpoint of mixed) {
    const drive = await endpoint.open(setup)
    await drive(setup.host, { connections: 32, seconds: load.seconds })
  }
  stopping.abort()
  await sampling
  return samples
}

const megabytes = (bytes: number): number => bytes / 1024 / 1024

/** Returns the disk space of one row of a table or of its partitions, with indexes and TOAST. */
export async function bytesPerRow(databaseUrl: string, table: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const [size] = await sql<[{ bytes: number }]>`
      select coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size(${table}::regclass))::float8 as bytes
      from pg_partition_tree(${table}::regclass)`
    const [rows] = await sql<[{ count: number }]>`select count(*)::float8 as count from ${sql(table)}`
    return size.bytes / rows.count
  } finally {
    await sql.end({ timeout: 5 })
  }
}
