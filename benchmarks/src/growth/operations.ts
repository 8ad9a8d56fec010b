import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import postgres from 'postgres'
import { exchange } from '../converse.ts'
import type { FilledDocument } from '../data.ts'
import type { Bench, Setup } from '../hosts.ts'
import type { CaseRequest } from '../measure.ts'
import { handleOrders } from '../work-center/deliveries.ts'
import { feeds } from '../work-center/feeds.ts'
import { type Reader, readersPerGroup } from '../work-center/fill-inboxes.ts'

/** The rows that grow. Only the rows that the chosen operations need are filled. */
export type Grown = 'content' | 'audit' | 'entries' | 'executions' | 'events'

/** A host whose database has a certain number of rows. */
export interface GrownSetup extends Setup {
  readonly rows: number
  /** The readers of the Work Center, with the veteran last. */
  readonly readers: readonly Reader[]
}

/** An operation whose time must not depend on the number of rows. */
export interface Operation {
  readonly name: string
  readonly grown: Grown
  /** Limits the runs in each round. Absent if the operation can be repeated without a limit. */
  readonly limit?: number
  /** Prepares the operation. Each call of the result runs it once and resolves with the milliseconds that it took. */
  open(bench: Bench, setup: GrownSetup): Promise<() => Promise<number>>
}

const typeCode = 'trade.sales_invoice'

const reading = (name: string, grown: Grown, path: (document: FilledDocument) => string): Operation => ({
  name,
  grown,
  async open(_, { host, documents: { read } }) {
    const agent = oneConnection()
    let turn = 0
    return () => {
      turn += 1
      return timed(() => exchange(host, agent, { method: 'GET', path: path(at(read, turn)) }))
    }
  },
})

const byObject = (path: string) => (document: FilledDocument) =>
  `${path}?kind=Document&typeCode=${typeCode}&objectId=${document.id}&limit=50`

const feed = (
  name: string,
  path: string,
  choose: (readers: readonly Reader[]) => readonly Reader[],
): Operation => ({
  name,
  grown: 'entries',
  async open(bench, { host, readers }) {
    const agent = oneConnection()
    const chosen = choose(readers)
    const tokens = await Promise.all(chosen.map(({ subject }) => bench.token(subject)))
    let turn = 0
    return () => {
      turn += 1
      const headers = { authorization: `Bearer ${at(tokens, turn)}` }
      return timed(() => exchange(host, agent, { method: 'GET', path, headers }))
    }
  },
})

/** One group of readers, which is all readers of the smallest size, so that every size has the same callers and items. */
const oneGroup = (readers: readonly Reader[]): readonly Reader[] => readers.slice(0, readersPerGroup)

const execute: Operation = {
  name: 'execute',
  grown: 'executions',
  async open(_, { host, documents: { acted } }) {
    const agent = oneConnection()
    let turn = 0
    return () => {
      turn += 1
      const document = at(acted, turn)
      const { id, status, version } = document
      const request: CaseRequest = {
        method: 'POST',
        path: `/api/documents/${typeCode}/${id}/actions/${status === 'Draft' ? 'post' : 'unpost'}`,
        headers: { 'idempotency-key': randomUUID() },
        body: { expectedVersion: version },
      }
      return timed(async () => {
        await exchange(host, agent, request)
        document.status = status === 'Draft' ? 'Posted' : 'Draft'
        document.version = version + 1
      })
    }
  },
}

/** Claims a task of a role. Releases it afterwards, which the time does not include, so that it can be claimed again. */
const claim: Operation = {
  name: 'claim',
  grown: 'entries',
  async open(bench, { host, readers, databaseUrl }) {
    const agent = oneConnection()
    const reader = at(readers, 0)
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
    const tasks = await sql<{ id: string; version: number }[]>`
      select t.id, t.version
      from work_center.entries e join work_center.tasks t on t.id = e.item_id
      where e.user_id = ${reader.id}::uuid and e.is_open and e.is_visible and e.role_id is not null`
    await sql.end({ timeout: 5 })
    const headers = { authorization: `Bearer ${await bench.token(reader.subject)}` }
    let turn = -1
    return async () => {
      turn += 1
      const task = at(tasks, turn)
      const send = async (verb: 'claim' | 'release') => {
        const path = `/api/work-center/tasks/${task.id}/${verb}`
        await exchange(host, agent, {
          method: 'POST',
          path,
          headers,
          body: { expectedVersion: task.version },
        })
        task.version += 1
      }
      const ms = await timed(() => send('claim'))
      await send('release')
      return ms
    }
  },
}

/** Handles 100 new events beside the handled ones. The result is the time for one event. */
const drain: Operation = {
  name: 'drain',
  grown: 'events',
  limit: 1,
  async open(_, { databaseUrl }) {
    return async () => {
      const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
      const { spanMs } = await handleOrders(sql, 100)
      await sql.end({ timeout: 5 })
      return spanMs / 100
    }
  },
}

/** Every kind of list, count, timeline, claim, execution and drain. Operations that write are last. */
export const operations: readonly Operation[] = [
  reading('list notes', 'content', byObject('/api/notes')),
  reading('list attachments', 'content', byObject('/api/attachments')),
  reading('content summary', 'content', byObject('/api/business-objects/content-summary')),
  reading('timeline', 'audit', byObject('/api/audit/events')),
  feed('attention page', feeds['attention page'], oneGroup),
  feed('tasks page', feeds['tasks page'], oneGroup),
  feed('completed page', feeds['completed page'], oneGroup),
  feed('due attention page', feeds['due attention page'], oneGroup),
  feed('ranked attention page', feeds['ranked attention page'], oneGroup),
  feed('due completed page of a veteran', `${feeds['completed page']}&sort=due`, (readers) =>
    readers.slice(-1),
  ),
  feed('completed page of a veteran', feeds['completed page'], (readers) => readers.slice(-1)),
  feed('Work Center summary', feeds.summary, oneGroup),
  reading('editor state', 'executions', ({ id }) => `/api/documents/${typeCode}/${id}/editor-state`),
  claim,
  execute,
  drain,
]

const oneConnection = (): Agent => new Agent({ keepAlive: true, maxSockets: 1 })

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await run()
  return performance.now() - startedMs
}

function at<Item>(items: readonly Item[], turn: number): Item {
  const item = items[turn % items.length]
  if (item === undefined) throw new Error('The database is too small for this operation')
  return item
}
