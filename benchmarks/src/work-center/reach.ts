import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Plan } from '../compare.ts'
import { exchange } from '../converse.ts'
import { type Finding, toFigure } from '../finding.ts'
import { type Bench, openBench, type Setup } from '../hosts.ts'
import type { CaseRequest } from '../measure.ts'
import { percentile } from '../statistics.ts'
import { fillInboxes, type Reader } from './fill-inboxes.ts'
import { type HubSocket, openHubSocket } from './hub-socket.ts'

const overHttp = 'from a change over HTTP to a page at another replica'
const ofObject = 'from a note to a page of its document at another replica'
const throughOutbox = 'from an action to a page at another replica'

/** The default poll interval of the host. The benchmark spreads actions randomly over this interval. */
const pollIntervalMs = 2_000

/**
 * Measures the time until a page on one replica is notified of a change on another replica. The time includes the request
 * for the change, so it is longer than the time since the commit.
 */
export async function measureReach(plan: Plan): Promise<readonly Finding[]> {
  if (![overHttp, ofObject, throughOutbox].some((name) => plan.isChosen(name))) return []
  const bench = await openBench({ isOnDisk: false })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const size = { documents: 1_100, notesPerDocument: 0, attachmentsPerDocument: 0 }
    const setup = await bench.setUp('bench_reach', size)
    const { url } = await bench.replicate(setup)
    return [
      ...(plan.isChosen(overHttp) ? await measureHttp({ bench, setup, url, agent }) : []),
      ...(plan.isChosen(ofObject) ? await measureObjects({ bench, setup, url, agent }) : []),
      ...(plan.isChosen(throughOutbox) ? await measureOutbox({ bench, setup, url, agent }) : []),
    ]
  } finally {
    agent.destroy()
    await bench.close()
  }
}

interface Reach {
  readonly bench: Bench
  /** The replica that receives the changes. */
  readonly setup: Setup
  /** The address of the replica that serves the pages. */
  readonly url: string
  readonly agent: Agent
}

/** Snoozes a task ten times for each of 50 readers. Readers take turns: a page is notified at most ten times a second. */
async function measureHttp({ bench, setup, url, agent }: Reach): Promise<readonly Finding[]> {
  const readers = await fillInboxes(setup.databaseUrl, { readers: 50 })
  const open = async ({ subject }: Reader) => {
    const token = await bench.token(subject)
    const headers = { authorization: `Bearer ${token}` }
    const list = { method: 'GET', path: '/api/work-center/items?tab=tasks&limit=1', headers } as const
    const { items } = (await exchange(setup.host, agent, list)) as { items: readonly { id: string }[] }
    const path = `/api/work-center/tasks/${items[0]?.id}/snooze`
    return { page: await openHubSocket(url, token), headers, path }
  }
  const desks = await Promise.all(readers.map(open))
  const samples: number[] = []
  for (let day = 1; day <= 10; day += 1) {
    for (const { page, headers, path } of desks) {
      const body = { snoozedUntilUtc: new Date(Date.now() + day * 86_400_000).toISOString() }
      samples.push(
        await timeToArrive({ ...{ setup, agent, page }, request: { method: 'POST', path, headers, body } }),
      )
    }
  }
  for (const { page } of desks) page.close()
  const at = (share: number) => percentile(samples, share)
  return [
    toFigure(`${overHttp}, p50`, [at(0.5)], { unit: 'ms', bound: { most: 30 } }),
    toFigure(`${overHttp}, p99`, [at(0.99)], { unit: 'ms', bound: { most: 150 } }),
  ]
}

/** Adds ten notes to each of 20 documents of one page, in turn: a page is notified of each at most ten times a second. */
async function measureObjects({ bench, setup, url, agent }: Reach): Promise<readonly Finding[]> {
  const headers = { authorization: `Bearer ${await bench.token('clerk')}` }
  const page = await openHubSocket(url, await bench.token('clerk'))
  const documents = setup.documents.acted.slice(-20)
  const typeCode = 'trade.sales_invoice'
  for (const { id } of documents) await page.subscribe({ typeCode, id })
  const samples: number[] = []
  for (let turn = 0; turn < 10; turn += 1) {
    for (const { id } of documents) {
      const body = { target: { kind: 'Document', typeCode, id }, text: `Note ${turn}` }
      const sentMs = performance.now()
      const request = { method: 'POST', path: '/api/notes', headers, body } as const
      const [atMs] = await Promise.all([page.nextChange(), exchange(setup.host, agent, request)])
      samples.push(atMs - sentMs)
    }
  }
  page.close()
  const at = (share: number) => percentile(samples, share)
  return [
    toFigure(`${ofObject}, p50`, [at(0.5)], { unit: 'ms', bound: { most: 15 } }),
    toFigure(`${ofObject}, p99`, [at(0.99)], { unit: 'ms', bound: { most: 150 } }),
  ]
}

/**
 * Posts invoices at random times within the poll interval. No posting waits for the next poll, because the host that
 * executes an action also wakes its own outbox loop.
 */
async function measureOutbox({ bench, setup, url, agent }: Reach): Promise<readonly Finding[]> {
  const page = await openHubSocket(url, await bench.token('clerk'))
  const drafts = setup.documents.acted.filter(({ status }) => status === 'Draft').slice(0, 20)
  const samples: number[] = []
  for (const { id, version } of drafts) {
    await delay(Math.random() * pollIntervalMs)
    const request = {
      method: 'POST',
      path: `/api/documents/trade.sales_invoice/${id}/actions/post`,
      headers: { 'idempotency-key': crypto.randomUUID() },
      body: { expectedVersion: version },
    } as const
    samples.push(await timeToArrive({ setup, agent, page, request }))
  }
  page.close()
  return [
    toFigure(`${throughOutbox}, p50`, [percentile(samples, 0.5)], { unit: 'ms', bound: { most: 50 } }),
    toFigure(`${throughOutbox}, slowest`, [Math.max(...samples)], { unit: 'ms', bound: { most: 250 } }),
  ]
}

/** Sends a change to the Work Center of one user. Returns the time until the page of this user is notified. */
async function timeToArrive({
  setup,
  agent,
  page,
  request,
}: {
  readonly setup: Setup
  readonly agent: Agent
  readonly page: HubSocket
  readonly request: CaseRequest
}): Promise<number> {
  const { version } = await page.versionAbove(-1)
  const sentMs = performance.now()
  const [{ atMs }] = await Promise.all([page.versionAbove(version), exchange(setup.host, agent, request)])
  return atMs - sentMs
}
