import { newId, recordAudit } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { type BusinessObjects, createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { sql } from 'drizzle-orm/sql'
import type { Deployment, TestAccount } from './deployment.ts'
import { end, type RawClient } from './raw-client.ts'

/** The vertical of these tests: papers that only listed subjects may read. Each statement of a check is counted. */
export interface Papers {
  readonly businessObjects: BusinessObjects
  readonly checkCount: number
  /** Adds a paper. Without `readers`, everybody may read it. */
  add(...readers: readonly TestAccount[]): Promise<BusinessObjectReference>
  /** Replaces the readers of a paper. */
  showTo(paper: BusinessObjectReference, ...readers: readonly TestAccount[]): Promise<void>
}

export async function createPapers({ operator }: Deployment): Promise<Papers> {
  await operator`create table public.papers (id uuid primary key, readers text[])`
  let checkCount = 0
  const subjects = (readers: readonly TestAccount[]) =>
    readers.length === 0 ? null : readers.map(({ subject }) => subject)
  return {
    get checkCount() {
      return checkCount
    },
    businessObjects: createBusinessObjects([
      {
        kind: 'Document',
        typeCodes: ['office.paper'],
        isReadable: () => Promise.reject(new Error('the check of several objects replaces this one')),
        async areReadable(db, attempts) {
          checkCount += 1
          const rows = await db.execute<{ is_readable: boolean }>(sql`
            select p.id is not null as is_readable
            from unnest(
              ${sql.param(attempts.map(({ reference }) => reference.id))}::uuid[],
              ${sql.param(attempts.map(({ caller }) => caller.subject))}::text[]
            ) with ordinality a (id, subject, place)
            left join public.papers p on p.id = a.id and (p.readers is null or a.subject = any(p.readers))
            order by a.place`)
          return rows.map((row) => row.is_readable)
        },
      },
    ]),
    async add(...readers) {
      const id = newId()
      await operator`insert into public.papers (id, readers) values (${id}, ${subjects(readers)})`
      return { kind: 'Document', typeCode: 'office.paper', id }
    },
    async showTo({ id }, ...readers) {
      await operator`update public.papers set readers = ${readers.map(({ subject }) => subject)} where id = ${id}`
    },
  }
}

/** Commits an audit event of each paper in one transaction. */
export const change = (database: Database, ...papers: readonly BusinessObjectReference[]): Promise<void> =>
  database.transaction((tx) => recordAudit(tx, ...papers.map(eventOf)))

export const eventOf = (target: BusinessObjectReference) => ({
  ...{ module: 'office', target, actionCode: 'office.changed' },
  ...{ actorUserId: null, correlationId: null },
})

let invocationCount = 0

/** Invokes a method and returns the completion. Keeps the order: an earlier message must have been read. */
export async function invoke(
  client: RawClient,
  target: string,
  ...args: readonly unknown[]
): Promise<unknown> {
  invocationCount += 1
  const invocationId = `call-${invocationCount}`
  client.send(`${JSON.stringify({ type: 1, invocationId, target, arguments: args })}${end}`)
  const record = (await client.next()) as { invocationId?: string }
  if (record.invocationId !== invocationId) throw new Error(`not the answer: ${JSON.stringify(record)}`)
  return record
}

/** Subscribes to an object and returns the result. Skips messages about changes that are older than the answer. */
export async function subscribe(
  client: RawClient,
  { kind, typeCode, id }: BusinessObjectReference,
): Promise<unknown> {
  invocationCount += 1
  const invocationId = `call-${invocationCount}`
  client.send(
    `${JSON.stringify({ type: 1, invocationId, target: 'subscribe', arguments: [kind, typeCode, id] })}${end}`,
  )
  for (;;) {
    const record = (await client.next()) as { target?: string; invocationId?: string; result?: unknown }
    if (record.invocationId === invocationId) return record.result
    if (record.target !== 'objectChanged') throw new Error(`not the answer: ${JSON.stringify(record)}`)
  }
}

/** Waits for the next message about this paper, and returns its number. */
export async function nextNumber(
  client: RawClient,
  { kind, typeCode, id }: BusinessObjectReference,
): Promise<number> {
  const record = (await client.next()) as { arguments?: unknown[] }
  const number = record.arguments?.[3]
  const expected = { type: 1, target: 'objectChanged', arguments: [kind, typeCode, id, number] }
  if (typeof number !== 'number' || JSON.stringify(record) !== JSON.stringify(expected)) {
    throw new Error(`not a change of the paper: ${JSON.stringify(record)}`)
  }
  return number
}
