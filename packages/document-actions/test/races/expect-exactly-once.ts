import type { Database, Db } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import { expect } from 'vitest'
import type { Played, Sent } from './played-case.ts'

const inProgress = 'document_action.in_progress'
const refusals = [
  'documents.version_conflict',
  'document_action.unavailable',
  'document_action.idempotency_conflict',
  'document_action.forbidden',
]
const faults = ['internal', 'service.unavailable']

/** Expects that every execution is stored once and completely, and that all its answers are equal. */
export async function expectExactlyOnce(database: Database, { documents, sent }: Played): Promise<void> {
  for (const { answer, isStruck, isAlone } of sent) {
    const expected = [...refusals, ...(isStruck ? faults : []), ...(isAlone ? [] : [inProgress])]
    if (answer.status !== 200) expect(expected).toContain(answer.code)
  }
  expectOneAnswerPerKey(sent)
  expectVersionsKept(sent)
  const ids = documents.map(({ id }) => id)
  await database.read(async (db) => {
    const executionIds = [
      ...new Set(sent.flatMap(({ answer }) => answer.result?.executionId ?? [])),
    ].toSorted()
    expect(await idsIn(db, executionsOf(ids))).toEqual(executionIds)
    expect(await idsIn(db, auditedOf(ids))).toEqual(executionIds)
    expect(await idsIn(db, publishedOf(ids))).toEqual(executionIds)
    expect(await idsIn(db, deliveredOf(ids))).toEqual(executionIds)
    expect(await unbalanced(db, executionIds)).toEqual([])
    for (const id of ids) await expectLawfulHistory(db, id)
    expect(await straysIn(db)).toEqual([])
  })
}

/** Expects that each execution used its expected version, and that no repeat of it fails with a version conflict. */
function expectVersionsKept(sent: readonly Sent[]): void {
  for (const { expectedVersion, answer } of sent) {
    if (answer.result !== null) expect(answer.result.documentVersion).toBe(expectedVersion + 1)
  }
  const executed = new Set(sent.filter(({ answer }) => answer.status === 200).map(({ intent }) => intent))
  for (const { intent, expectedVersion, answer } of sent) {
    if (executed.has(intent)) expect(answer.actualVersion ?? 0).toBeLessThan(expectedVersion)
  }
}

/** Expects equal results for each key. All answers are replays, except the executed answer if it was not lost. */
function expectOneAnswerPerKey(sent: readonly Sent[]): void {
  const successes = Map.groupBy(
    sent.filter(({ answer }) => answer.status === 200),
    ({ ownKey }) => ownKey,
  )
  for (const ofKey of successes.values()) {
    expect(new Set(ofKey.map(({ answer }) => JSON.stringify(answer.result))).size).toBe(1)
    expect(ofKey.filter(({ answer }) => !answer.isReplay).length).toBeLessThanOrEqual(1)
  }
}

const executionsOf = (ids: readonly string[]): SQL => sql`
  select id::text from document_actions.executions where document_id = any(${sql.param(ids)}::uuid[])`
const auditedOf = (ids: readonly string[]): SQL => sql`
  select metadata ->> 'executionId' as id
  from core_audit.audit_events
  where target_id = any(${sql.param(ids)}::uuid[])`
const publishedOf = (ids: readonly string[]): SQL => sql`
  select causation_id as id
  from core_audit.outbox_events
  where data ->> 'documentId' = any(${sql.param(ids)}::text[])`
const deliveredOf = (ids: readonly string[]): SQL => sql`
  select e.causation_id as id
  from core_audit.outbox_events e
  join core_audit.outbox_deliveries d on d.event_id = e.id
  where e.data ->> 'documentId' = any(${sql.param(ids)}::text[])`

/** Returns the sorted ids of a statement, including duplicates. */
async function idsIn(db: Db, statement: SQL): Promise<readonly string[]> {
  const rows = await db.execute<{ id: string }>(statement)
  return rows.map(({ id }) => id).toSorted()
}

/** Returns the executions with unbalanced entries. */
async function unbalanced(db: Db, executionIds: readonly string[]): Promise<readonly unknown[]> {
  return db.execute(sql`
    select execution_id
    from shop.entries
    where execution_id = any(${sql.param(executionIds)}::uuid[])
    group by execution_id
    having sum(debit) <> sum(credit)`)
}

/** Returns all entries, links and derived invoices in the database that belong to no execution. */
async function straysIn(db: Db): Promise<readonly unknown[]> {
  return db.execute(sql`
    select 'entry' as what, execution_id as id
    from shop.entries
    where execution_id not in (select id from document_actions.executions)
    union all
    select 'link', execution_id
    from document_actions.derivations
    where execution_id not in (
      select id from document_actions.executions where action_code = 'shop.create_invoice'
    )
    union all
    select 'execution', id
    from document_actions.executions
    where action_code = 'shop.create_invoice'
      and id not in (
        select l.execution_id
        from document_actions.derivations l
        join document_actions.documents d on d.id = l.created_id
      )
    union all
    select 'invoice', id
    from document_actions.documents
    where type_code = 'shop.invoice' and payload -> 'fields' ->> 'origin' = 'order'
      and id not in (select created_id from document_actions.derivations)`)
}

type Step = { action_code: string; version: number }
type Last = { type_code: string; status: string; version: number; balance: string }

/** Expects one event per version and only allowed steps. The document must have the state of its last step. */
async function expectLawfulHistory(db: Db, id: string): Promise<void> {
  const [last] = await db.execute<Last>(sql`
    select type_code, status, version,
      (select coalesce(sum(debit), 0)::text from shop.entries where document_id = d.id) as balance
    from document_actions.documents d
    where id = ${id}::uuid`)
  const steps = await db.execute<Step>(sql`
    select action_code, (metadata ->> 'version')::int as version
    from core_audit.audit_events
    where target_id = ${id}::uuid
    order by version`)
  const isInvoice = last?.type_code === 'shop.invoice'
  let state: State = { status: isInvoice ? 'Draft' : 'Posted', owed: 0, version: 1 }
  for (const step of steps) {
    state = { ...after(state, step.action_code, isInvoice), version: state.version + 1 }
    expect(step.version).toBe(state.version)
  }
  expect({ status: last?.status, owed: Number(last?.balance), version: last?.version }).toEqual(state)
}

interface State {
  readonly status: string
  /** The open amount: 10 after posting, and 0 after the invoice is written off or unposted. */
  readonly owed: number
  readonly version: number
}

/** Returns the state after a step. A forbidden step fails the test. */
function after(state: State, actionCode: string, isInvoice: boolean): State {
  const { status, owed } = state
  switch (`${actionCode} of ${status}`) {
    case 'post of Draft':
      return { ...state, status: 'Posted', owed: isInvoice ? 10 : 0 }
    case 'unpost of Posted':
      return { ...state, status: 'Draft', owed: 0 }
    case 'repost of Posted':
    case 'shop.create_invoice of Posted':
      return state
    case 'shop.write_off of Posted':
      expect(owed).toBe(10)
      return { ...state, owed: 0 }
    case 'mark_for_deletion of Draft':
      return { ...state, status: 'MarkedForDeletion' }
    case 'unmark_for_deletion of MarkedForDeletion':
      return { ...state, status: 'Draft' }
    default:
      expect(actionCode).toBe('shop.rename')
      return state
  }
}
