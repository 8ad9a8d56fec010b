import postgres from 'postgres'
import type { Plan } from '../compare.ts'
import * as endpoints from '../endpoints.ts'
import { openBench, type Setup } from '../hosts.ts'
import type { Drive } from '../measure.ts'
import type { Hotspot, Profile } from '../report/results.ts'
import { type Feed, feeds, readInTurn } from '../work-center/feeds.ts'
import { fillInboxes, readersOf } from '../work-center/fill-inboxes.ts'
import { type CpuProfile, summarizeCpu } from './summarize-cpu.ts'

const documentCases = [
  ...[endpoints.features, endpoints.listNotes, endpoints.listAttachments, endpoints.contentSummary],
  ...[endpoints.editorState, endpoints.createNote, endpoints.execute],
]

/**
 * Profiles cases under load: the CPU time of the host by package and function, and the execution time in the database by
 * statement. The profiler slows the host down, so compare shares and not throughputs.
 *
 * @throws {Error} when no case has the given name
 */
export async function profileCases(names: readonly string[], plan: Plan): Promise<readonly Profile[]> {
  const known = [...documentCases.map(({ name }) => name), ...Object.keys(feeds)]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`--profile: expected one of ${known.join(', ')}, not ${unknown}`)
  const settings = { shared_preload_libraries: 'pg_stat_statements', track_io_timing: 'on' }
  const bench = await openBench({ isOnDisk: false, settings })
  try {
    const size = { documents: plan.documents, notesPerDocument: 50, attachmentsPerDocument: 50 }
    const setup = await bench.setUp('bench_profile', size, {
      imports: [new URL('./record-cpu.ts', import.meta.url)],
    })
    const readers = names.some((name) => name in feeds)
      ? await fillInboxes(setup.databaseUrl, { readers: readersOf(100_000) })
      : []
    const profiles: Profile[] = []
    for (const name of names) {
      const endpoint = documentCases.find((known) => known.name === name)
      const drive = await (endpoint?.open(setup) ?? readInTurn(bench, readers, name as Feed))
      profiles.push(await profileCase(name, drive, setup, plan))
    }
    return profiles
  } finally {
    await bench.close()
  }
}

async function profileCase(
  name: string,
  drive: Drive,
  { host, server, databaseUrl }: Setup,
  plan: Plan,
): Promise<Profile> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    // The first run compiles the code and fills the caches.
    await drive(host, plan.load)
    await sql`create extension if not exists pg_stat_statements`
    await sql`select pg_stat_statements_reset()`
    await server.ask('profile start')
    const { requests, requestsPerSecond } = await drive(host, plan.load)
    const profile = (await server.ask('profile stop')) as CpuProfile
    const cpu = summarizeCpu(profile, requests)
    console.log(`\n${name}: ${Math.round(requestsPerSecond)} requests/s`)
    const statements = await readStatements(sql, requests)
    for (const spots of [cpu.packages, cpu.functions, statements]) console.table(spots.map(toRow))
    return { case: name, requestsPerSecond, ...cpu, statements }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Returns the statements of this database with their execution time on the server, the most expensive first. */
async function readStatements(sql: postgres.Sql, requests: number): Promise<readonly Hotspot[]> {
  const rows = await sql<{ query: string; calls: number; ms: number; total_ms: number }[]>`
    select query, calls::float8 as calls, total_exec_time as ms, sum(total_exec_time) over () as total_ms
    from pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database())
      and query not like '%pg_stat_statements%'
    order by total_exec_time desc
    limit 12`
  return rows.map(({ query, calls, ms, total_ms }) => ({
    name: query.replaceAll(/\s+/g, ' ').trim().slice(0, 160),
    share: ms / total_ms,
    microseconds: (ms * 1_000) / requests,
    calls: calls / requests,
  }))
}

const toRow = ({ name, share, microseconds, calls }: Hotspot) => ({
  name: name.slice(0, 90),
  share: `${(share * 100).toFixed(1)} %`,
  'µs per request': Number(microseconds.toPrecision(3)),
  ...(calls === undefined ? {} : { 'calls per request': Number(calls.toPrecision(3)) }),
})
