import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { plansOf, statementOf } from '@vertical-kit/core-audit/testing'
import { listNotes } from '@vertical-kit/notes'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countNotes } from '../../src/queries/list-notes.ts'
import { type Bench, openBench } from '../bench.ts'
import { newReference } from '../parents.ts'

/** The number is much larger than a page. With few notes, PostgreSQL might prefer to read and sort all notes. */
const notesPerParent = 1_000
const parentCount = 60

let bench: Bench
let target: BusinessObjectReference
beforeAll(async () => {
  bench = await openBench()
  target = newReference()
  await fill(bench.database)
})
afterAll(() => bench.close())

/** Adds 2,000 users and 60,000 notes on 60 objects. Every tenth note is deleted. */
async function fill(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.execute(sql`
      insert into core_audit.users (id, subject, display_name)
      select gen_random_uuid(), 'subject-' || n, 'User ' || n from generate_series(1, 2000) n`)
    await tx.execute(sql`
      with parents as (
        select case n when 1 then ${target.id}::uuid else gen_random_uuid() end as id
        from generate_series(1, ${parentCount}) n
      ), authors as (
        select array_agg(id) as ids from core_audit.users
      )
      insert into notes.notes (
        id, target_kind, target_type_code, target_id, text, created_by_user_id, updated_by_user_id, deleted_at
      )
      select gen_random_uuid(), ${target.kind}, ${target.typeCode}, parents.id, 'Note ' || n,
        authors.ids[1 + (n * 7) % 2000], authors.ids[1 + (n * 13) % 2000],
        case when n % 10 = 0 then statement_timestamp() end
      from parents, authors, generate_series(1, ${notesPerParent}) n`)
    await tx.execute(sql`analyze notes.notes`)
    await tx.execute(sql`analyze core_audit.users`)
  })
}

describe.each([
  ['first', null],
  ['later', '7fffffff-ffff-4fff-bfff-ffffffffffff'],
])('the %s page of a list', (_which, cursor) => {
  test.each([1, 50, 100])(
    'with a limit of %i is read by one scan of the index notes_by_target and not sorted',
    async (limit) => {
      const list = await statementOf(bench.database, (db) => listNotes(db, { target, limit, cursor }))
      for (const nodes of await plansOf(bench.database, list)) {
        const ofNotes = nodes.filter((node) => node['Relation Name'] === 'notes')
        expect(ofNotes).toMatchObject([{ 'Node Type': 'Index Scan', 'Index Name': 'notes_by_target' }])
        // With a cursor, the index scan must start at the cursor. It must not read earlier rows and filter them.
        expect(ofNotes[0]?.['Index Cond']?.includes('id <')).toBe(cursor !== null)
        expect(nodes.map((node) => node['Node Type']).filter((type) => type.includes('Sort'))).toEqual([])
      }
    },
  )
})

test('the count of notes uses only the index notes_by_target', async () => {
  for (const nodes of await plansOf(bench.database, countNotes(target))) {
    expect(nodes.flatMap((node) => node['Index Name'] ?? [])).toEqual(['notes_by_target'])
  }
})
