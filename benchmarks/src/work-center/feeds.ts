import { compareThroughput, type Plan } from '../compare.ts'
import type { Finding } from '../finding.ts'
import { type Bench, openBench } from '../hosts.ts'
import { type CaseRequest, type Drive, inTurn } from '../measure.ts'
import { userHeader } from './bare-work-center.ts'
import { fillInboxes, type Reader, readersOf } from './fill-inboxes.ts'

/** The requests that an open Work Center page sends, by the name of the case. */
export const feeds = {
  'attention page': '/api/work-center/items?tab=attention&limit=50',
  'tasks page': '/api/work-center/items?tab=tasks&limit=50',
  'completed page': '/api/work-center/items?tab=completed&limit=50',
  'due attention page': '/api/work-center/items?tab=attention&sort=due&limit=50',
  'due tasks page': '/api/work-center/items?tab=tasks&sort=due&limit=50',
  'ranked attention page': '/api/work-center/items?tab=attention&sort=priority&limit=50',
  'ranked completed page': '/api/work-center/items?tab=completed&sort=priority&limit=50',
  summary: '/api/work-center/summary',
} as const

export type Feed = keyof typeof feeds

/** Creates a load with requests of the readers in turn, with a token for the host and a user id for the bare server. */
export async function readInTurn(bench: Bench, readers: readonly Reader[], feed: Feed): Promise<Drive> {
  const requests = readers.map(
    async ({ id, subject }): Promise<CaseRequest> => ({
      method: 'GET',
      path: feeds[feed],
      headers: { authorization: `Bearer ${await bench.token(subject)}`, [userHeader]: id },
    }),
  )
  return inTurn(await Promise.all(requests))
}

/** Returns the target of a case. Lists that are not sorted from newest to oldest have a lower one. */
function leastOf(feed: Feed): number {
  if (feed === 'summary') return 0.65
  return feeds[feed].includes('&sort=') ? 0.6 : 0.8
}

/** Compares a host with a bare server by the requests of open pages, with 1,000,000 entries of 1,000 readers. */
export async function compareFeeds(plan: Plan): Promise<readonly Finding[]> {
  const chosen = (Object.keys(feeds) as Feed[]).filter((feed) => plan.isChosen(feed))
  if (chosen.length === 0) return []
  const bench = await openBench({ isOnDisk: false })
  try {
    const setup = await bench.setUp('bench_feeds', {
      documents: 1,
      notesPerDocument: 0,
      attachmentsPerDocument: 0,
    })
    const readers = await fillInboxes(setup.databaseUrl, { readers: readersOf(1_000_000) })
    const bare = await bench.startBare(setup)
    const findings: Finding[] = []
    for (const feed of chosen) {
      const drive = await readInTurn(bench, readers, feed)
      const sides = [
        { label: 'host', drive, target: setup.host },
        { label: 'bare', drive, target: bare },
      ] as const
      findings.push(await compareThroughput(feed, sides, { least: leastOf(feed), plan }))
    }
    return findings
  } finally {
    await bench.close()
  }
}
