import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Plan } from '../compare.ts'
import { exchange } from '../converse.ts'
import { type Figure, percentile, toFigure } from '../figure.ts'
import { type Bench, openBench, type Setup } from '../hosts.ts'
import type { CaseRequest } from '../measure.ts'
import { fillInboxes, type Reader } from './fill-inboxes.ts'
import { type HubSocket, openHubSocket } from './hub-socket.ts'

const overHttp = 'from a change over HTTP to a page at another replica'
const throughOutbox = 'from an action to a page at another replica'

/** As the host is configured when nobody says otherwise: actions come at any moment within it. */
const pollIntervalMs = 2_000

/**
 * Measures how long after it was sent a change at one replica is heard of by a page at another one. That is more than
 * from the commit on: the request is in it.
 */
export async function measureReach(plan: Plan): Promise<readonly Figure[]> {
  if (!plan.isChosen(overHttp) && !plan.isChosen(throughOutbox)) return []
  const bench = await openBench({ isOnDisk: false })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const size = { documents: 1_100, notesPerDocument: 0, attachmentsPerDocument: 0 }
    const setup = await bench.setUp('bench_reach', size)
    const { url } = await bench.replicate(setup)
    return [
      ...(plan.isChosen(overHttp) ? await measureHttp({ bench, setup, url, agent }) : []),
      ...(plan.isChosen(throughOutbox) ? await measureOutbox({ bench, setup, url, agent }) : []),
    ]
  } finally {
    agent.destroy()
    await bench.close()
  }
}

interface Reach {
  readonly bench: Bench
  /** Where changes are made. */
  readonly setup: Setup
  /** Where pages are. */
  readonly url: string
  readonly agent: Agent
}

/** Each of 50 readers snoozes a task ten times, in turn: a page hears of changes ten times a second at most. */
async function measureHttp({ bench, setup, url, agent }: Reach): Promise<readonly Figure[]> {
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
        await timeToHear({ ...{ setup, agent, page }, request: { method: 'POST', path, headers, body } }),
      )
    }
  }
  for (const { page } of desks) page.close()
  const at = (share: number) => percentile(samples, share)
  return [
    toFigure(`${overHttp}, p50`, { value: at(0.5), unit: 'ms', bound: { most: 30 } }),
    toFigure(`${overHttp}, p99`, { value: at(0.99), unit: 'ms', bound: { most: 150 } }),
  ]
}

/**
 * Invoices are posted, each at a moment of its own within the interval of polls, which none has to wait for: the host where
 * it happened rings the bell of its loop.
 */
async function measureOutbox({ bench, setup, url, agent }: Reach): Promise<readonly Figure[]> {
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
    samples.push(await timeToHear({ setup, agent, page, request }))
  }
  page.close()
  return [
    toFigure(`${throughOutbox}, p50`, { value: percentile(samples, 0.5), unit: 'ms', bound: { most: 50 } }),
    toFigure(`${throughOutbox}, slowest`, { value: Math.max(...samples), unit: 'ms', bound: { most: 250 } }),
  ]
}

/** Sends a change of one user's Work Center, and waits until their page has heard of it. */
async function timeToHear({
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
  const { version } = await page.heardAbove(-1)
  const sentMs = performance.now()
  const [{ atMs }] = await Promise.all([page.heardAbove(version), exchange(setup.host, agent, request)])
  return atMs - sentMs
}
