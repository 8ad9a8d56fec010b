import postgres from 'postgres'
import { compareLatency, type Finding, type Plan } from '../compare.ts'
import { openBench } from '../hosts.ts'
import { type Feed, feeds, readInTurn } from './feeds.ts'
import { fillInboxes, type Reader, readersOf } from './fill-inboxes.ts'
import { loadViewerRole, type MeasuredTab, selectPage, selectSummary } from './statements.ts'

const noDocuments = { documents: 1, notesPerDocument: 0, attachmentsPerDocument: 0 }
const veteranTasks = 100_000
/** This number of readers sends requests on both sides, so that the sides differ only in the number of entries. */
const readerCount = 10

/**
 * Compares a host with very many entries to a host with 10,000 entries. On the first host, also compares a reader with
 * 100,000 completed tasks to the other readers. Uses a disk, because the entries need gigabytes.
 */
export async function compareLargeInboxes(plan: Plan, entryCount: number): Promise<readonly Finding[]> {
  const manyName = (feed: Feed) => `${feed}: ${entryCount.toLocaleString('en')} entries`
  const veteranName = (feed: Feed) => `${feed}: ${veteranTasks.toLocaleString('en')} completed tasks`
  const all = Object.keys(feeds) as Feed[]
  const isChosen = all.some((feed) => plan.isChosen(manyName(feed)) || plan.isChosen(veteranName(feed)))
  if (entryCount === 0 || !isChosen) return []
  const bench = await openBench({ isOnDisk: true })
  try {
    const many = await bench.setUp('bench_inboxes_many', noDocuments)
    const few = await bench.setUp('bench_inboxes_few', noDocuments)
    const startedMs = performance.now()
    const size = { readers: readersOf(entryCount), veteranTasks }
    const readers = await fillInboxes(many.databaseUrl, size)
    const fewReaders = await fillInboxes(few.databaseUrl, { readers: readerCount })
    console.log(`filled in ${Math.round((performance.now() - startedMs) / 1_000)} s`)
    const [sample, veteran] = [evenly(readers.slice(0, -1)), readers.slice(-1)]
    await printPlans(many.databaseUrl, [...sample.slice(0, 1), ...veteran])
    const drive = (of: readonly Reader[], feed: Feed) => readInTurn(bench, of, feed)
    const findings: Finding[] = []
    for (const feed of all) {
      const [large, small] = [await drive(sample, feed), await drive(fewReaders, feed)]
      if (plan.isChosen(manyName(feed))) {
        const sides = [
          { label: 'many', drive: large, target: many.host },
          { label: '10,000', drive: small, target: few.host },
        ] as const
        findings.push(await compareLatency(manyName(feed), sides, { most: 1.2, plan }))
      }
      if (plan.isChosen(veteranName(feed))) {
        const sides = [
          { label: 'veteran', drive: await drive(veteran, feed), target: many.host },
          { label: 'others', drive: large, target: many.host },
        ] as const
        findings.push(await compareLatency(veteranName(feed), sides, { most: 1.2, plan }))
      }
    }
    return findings
  } finally {
    await bench.close()
  }
}

const evenly = (readers: readonly Reader[]): readonly Reader[] =>
  readers.filter((_, index) => index % Math.ceil(readers.length / readerCount) === 0)

/** Prints the plans. A page must scan an index range with one additional row. The summary must scan all open entries. */
async function printPlans(url: string, readers: readonly Reader[]): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const role = await loadViewerRole(sql)
    for (const { id, subject } of readers) {
      const viewer = { userId: id, ...role }
      const pages = (['attention', 'tasks', 'completed'] satisfies MeasuredTab[]).map(
        (tab) => [`${tab} page`, selectPage(sql, viewer, tab)] as const,
      )
      for (const [name, statement] of [...pages, ['summary', selectSummary(sql, viewer)] as const]) {
        const plan = await sql`explain (analyze, costs off, buffers, summary off) ${statement}`
        console.log(`\n${name} of ${subject}`)
        for (const line of plan) console.log(`  ${line['QUERY PLAN']}`)
      }
    }
    console.log()
  } finally {
    await sql.end({ timeout: 5 })
  }
}
