import { newId } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { plansOf, statementOf } from '@vertical-kit/core-audit/testing'
import { genericDocumentStore } from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pruneExecutions } from '../../src/commands/prune-executions.ts'
import { findExecution } from '../../src/queries/find-execution.ts'
import { findLinks } from '../../src/queries/load-related.ts'
import { type Bench, openBench } from '../bench.ts'
import { dayMs } from '../harness.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
  await bench.database.transaction(fill)
})
afterAll(() => bench.close())

/** Inserts 20,000 executions of different actors, documents and derivations. 1% of the executions are past their retention. */
async function fill(tx: Tx): Promise<void> {
  await tx.execute(sql`
    insert into document_actions.executions (
      id, actor_user_id, idempotency_key, fingerprint, document_type, document_id, action_code, result, completed_at
    )
    select gen_random_uuid(), gen_random_uuid(), 'key-' || n, sha256(''), 'shop.order', gen_random_uuid(), 'post', '{}',
      statement_timestamp() - case when n % 100 = 0 then interval '91 days' else interval '1 day' end
    from generate_series(1, 20000) n`)
  await tx.execute(sql`
    insert into document_actions.documents (id, type_code, number, display)
    select gen_random_uuid(), 'shop.order', n::text, 'Order ' || n
    from generate_series(1, 20000) n`)
  await tx.execute(sql`
    insert into document_actions.derivations (
      execution_id, action_code, source_type_code, source_id, created_type_code, created_id
    )
    select gen_random_uuid(), 'x', 'shop.order', gen_random_uuid(), 'shop.invoice', gen_random_uuid()
    from generate_series(1, 20000) n`)
  await tx.execute(sql`analyze document_actions.derivations`)
  await tx.execute(sql`analyze document_actions.executions`)
  await tx.execute(sql`analyze document_actions.documents`)
}

/** Returns the nodes of both plans of the single statement that `work` sends. */
const plansOfWork = async (work: (tx: Tx) => Promise<unknown>) =>
  plansOf(bench.database, await statementOf(bench.database, work))

test('finding the execution of a key uses executions_actor_key', async () => {
  const key = { actorUserId: newId(), idempotencyKey: 'key-7' }
  for (const nodes of await plansOfWork((tx) => findExecution(tx, key))) {
    expect(nodes).toMatchObject([{ 'Node Type': 'Index Scan', 'Index Name': 'executions_actor_key' }])
  }
})

/** A plan can use either index, because both contain the id. */
const documentIndexes = ['documents_pkey', 'documents_by_type']

test.each([
  ['found', genericDocumentStore.find],
  ['locked', genericDocumentStore.lock],
] as const)('a document is %s without a full table scan', async (_how, ask) => {
  for (const nodes of await plansOfWork((tx) => ask(tx, { typeCode: 'shop.order', id: newId() }))) {
    expect(nodes.at(-1)).toMatchObject({
      'Node Type': 'Index Scan',
      'Index Name': expect.toBeOneOf(documentIndexes),
      'Index Cond': expect.stringMatching(/\bid = /),
    })
  }
})

test('links are read in both directions without a full table scan', async () => {
  const order = { typeCode: 'shop.order', id: newId() }
  for (const nodes of await plansOfWork((tx) => findLinks(tx, order, ['shop.invoice']))) {
    const indexes = nodes.flatMap((node) => node['Index Name'] ?? [])
    expect(indexes.toSorted()).toEqual(['derivations_by_source', 'derivations_created_key'])
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan')
  }
})

test('many documents are found by their ids', async () => {
  const references = Array.from({ length: 40 }, () => ({ typeCode: 'shop.order', id: newId() }))
  for (const nodes of await plansOfWork((tx) => genericDocumentStore.findMany(tx, references))) {
    const [scan] = nodes.filter((node) => node['Index Name'] !== undefined)
    expect(scan?.['Index Name']).toBeOneOf(documentIndexes)
    expect(scan?.['Index Cond']).toMatch(/\bid = /)
  }
})

test('pruning uses executions_by_completion without a sort', async () => {
  for (const nodes of await plansOfWork((tx) => pruneExecutions(tx, { executionRetentionMs: 90 * dayMs }))) {
    expect(nodes.map((node) => node['Index Name'])).toContain('executions_by_completion')
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort')
  }
})
