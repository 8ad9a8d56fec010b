import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../harness.ts'
import { runAudit } from '../run-audit.ts'
import { addEvents, idOf, seal, tamper } from './sealed-log.ts'

const events = 'core_audit.audit_events'
const seals = 'core_audit.audit_seals'

let fresh: FreshDatabase
let database: Database

/** Three seals of ten events each, two events that are not sealed, and copies of both tables. */
beforeAll(async () => {
  fresh = await openDatabase()
  database = createDatabase({ ...databaseDefaults, url: fresh.url })
  for (const decade of [0, 1, 2]) {
    await addEvents(database, decade * 10 + 1, decade * 10 + 10)
    await seal(database)
  }
  await addEvents(database, 31, 32)
  await tamper(
    fresh.url,
    `create table public.kept_events as table core_audit.audit_events;
     create table public.kept_seals as table core_audit.audit_seals;`,
  )
})
afterEach(() =>
  tamper(
    fresh.url,
    `delete from ${events}; delete from ${seals};
     insert into ${events} select * from public.kept_events;
     insert into ${seals} select * from public.kept_seals;`,
  ),
)
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

async function anchorOf(sequence: number): Promise<string> {
  const [row] = await database.read((db) =>
    db.execute<{ anchor: string }>(sql`
      select sequence || ':' || encode(hash, 'hex') as anchor
      from core_audit.audit_seals where sequence = ${sequence}::bigint`),
  )
  if (row === undefined) throw new Error('No such seal')
  return row.anchor
}

/** Returns the lines of the differences and the exit code. */
async function verify(...options: readonly string[]) {
  const { exitCode, out } = await runAudit(fresh.url, ['verify', ...options])
  return { exitCode, differences: out.filter((line) => /^[a-z]+: /.test(line)) }
}

test('an unchanged log verifies, also with anchors', async () => {
  const anchors = ['--anchor', await anchorOf(1), '--anchor', await anchorOf(3)]
  expect(await verify(...anchors)).toEqual({ exitCode: 0, differences: [] })
})

describe('a changed event', () => {
  test.each([
    ['module', `'other'`],
    ['target_kind', `'CatalogItem'`],
    ['target_type_code', `target_type_code || ' '`],
    ['target_id', `'${idOf(9)}'`],
    ['action_code', `'documents.deleted'`],
    ['occurred_at', `occurred_at + interval '1 microsecond'`],
    ['occurred_at', `'infinity'`],
    ['actor_user_id', `'${idOf(2)}'`],
    ['actor_user_id', 'null'],
    ['correlation_id', 'null'],
    ['correlation_id', `''`],
    ['metadata', `metadata || '{"number":14.0}'`],
    ['metadata', 'null'],
    ['changes', `'[]'`],
  ])('is named if its %s becomes %s', async (column, value) => {
    await tamper(fresh.url, `update ${events} set ${column} = ${value} where id = '${idOf(14)}'`)
    expect(await verify()).toEqual({ exitCode: 3, differences: [`changed: event ${idOf(14)} (seal 2)`] })
  })

  test('is named if its id changes in place', async () => {
    const id = idOf(14).replace(/.$/, 'f')
    await tamper(fresh.url, `update ${events} set id = '${id}' where id = '${idOf(14)}'`)
    expect(await verify()).toEqual({ exitCode: 3, differences: [`changed: event ${id} (seal 2)`] })
  })

  test('is named if a value moves from one column to the next', async () => {
    await tamper(
      fresh.url,
      `update ${events} set action_code = 'x', target_type_code = target_type_code || action_code where id = '${idOf(1)}'`,
    )
    expect(await verify()).toEqual({ exitCode: 3, differences: [`changed: event ${idOf(1)} (seal 1)`] })
  })
})

describe('a missing event', () => {
  test.each([
    ['first', 1, `before ${idOf(2)} (seal 1)`],
    ['middle', 15, `between ${idOf(14)} and ${idOf(16)} (seal 2)`],
    ['last', 30, `after ${idOf(29)} (seal 3)`],
  ])('is located if it was the %s one', async (_place, number, place) => {
    await tamper(fresh.url, `delete from ${events} where id = '${idOf(number)}'`)
    expect(await verify()).toEqual({ exitCode: 3, differences: [`missing: an event ${place}`] })
  })

  test('is located if all events of a seal are missing', async () => {
    await tamper(fresh.url, `delete from ${events} where id between '${idOf(11)}' and '${idOf(20)}'`)
    expect(await verify()).toEqual({
      exitCode: 3,
      differences: ['missing: an event and all others of the seal (seal 2)'],
    })
  })

  test('is located if the end of the log is missing', async () => {
    await tamper(fresh.url, `delete from ${events} where id > '${idOf(25)}'`)
    expect(await verify()).toEqual({
      exitCode: 3,
      differences: [`missing: an event after ${idOf(25)} (seal 3)`],
    })
  })
})

describe('an inserted event', () => {
  const copyTo = (id: string) => `
    insert into ${events}
    select (json_populate_record(e, json_build_object('id', '${id}'))).* from ${events} e where id = '${idOf(2)}'`

  test.each([
    ['before all others', '00000000-0000-0000-0000-000000000000', 1],
    ['among others', idOf(14).replace(/.$/, 'f'), 2],
    ['between two seals', idOf(20).replace(/.$/, 'f'), 3],
  ])('is named if it is %s', async (_place, id, sequence) => {
    await tamper(fresh.url, copyTo(id))
    expect(await verify()).toEqual({ exitCode: 3, differences: [`inserted: event ${id} (seal ${sequence})`] })
  })
})

test('exchanged contents are named', async () => {
  await tamper(
    fresh.url,
    `update ${events} set id = '${idOf(0)}' where id = '${idOf(13)}';
     update ${events} set id = '${idOf(13)}' where id = '${idOf(17)}';
     update ${events} set id = '${idOf(17)}' where id = '${idOf(0)}'`,
  )
  expect(await verify()).toEqual({
    exitCode: 3,
    differences: [`reordered: event ${idOf(13)} has the content of event ${idOf(17)} (seal 2)`],
  })
})

test('differences of several seals are named in order', async () => {
  await tamper(
    fresh.url,
    `update ${events} set module = 'x' where id in ('${idOf(2)}', '${idOf(3)}', '${idOf(28)}')`,
  )
  expect(await verify()).toEqual({
    exitCode: 3,
    differences: [`changed: event ${idOf(2)} (seal 1)`, `changed: event ${idOf(28)} (seal 3)`],
  })
  expect(await verify('--from', '2')).toMatchObject({
    differences: [`changed: event ${idOf(28)} (seal 3)`],
  })
})

describe('seals', () => {
  test.each([
    ['first_event_id', `'${idOf(0)}'`],
    ['last_event_id', `'${idOf(21)}'`],
    ['events_hash', `sha256('x')`],
    ['event_marks', `set_byte(event_marks, 7, get_byte(event_marks, 7) # 1)`],
    ['sealed_at', `sealed_at + interval '1 microsecond'`],
  ])('are named if %s was changed', async (column, value) => {
    await tamper(fresh.url, `update ${seals} set ${column} = ${value} where sequence = 2`)
    expect(await verify()).toEqual({ exitCode: 3, differences: ['changed: seal 2, or the seal before it'] })
  })

  test('are named if the hash was changed', async () => {
    await tamper(fresh.url, `update ${seals} set hash = sha256('x') where sequence = 2`)
    expect(await verify()).toEqual({
      exitCode: 3,
      differences: ['changed: seal 2, or the seal before it', 'changed: seal 3, or the seal before it'],
    })
  })

  test.each([1, 2])('are named if number %i was removed', async (sequence) => {
    await tamper(fresh.url, `delete from ${seals} where sequence = ${sequence}`)
    expect(await verify()).toEqual({ exitCode: 3, differences: [`missing: seal ${sequence}`] })
  })

  test('are named if the next seal does not continue a replaced one', async () => {
    await tamper(fresh.url, `update ${events} set module = 'x' where id = '${idOf(14)}'`)
    await tamper(
      fresh.url,
      `delete from ${events} where id > '${idOf(20)}'; delete from ${seals} where sequence > 1`,
    )
    await seal(database)
    await tamper(
      fresh.url,
      `insert into ${events} select * from public.kept_events where id > '${idOf(20)}';
       insert into ${seals} select * from public.kept_seals where sequence = 3`,
    )
    expect(await verify()).toEqual({ exitCode: 3, differences: ['changed: seal 3, or the seal before it'] })
  })
})

describe('an anchor', () => {
  test('shows that all seals were replaced', async () => {
    const [first, last] = [await anchorOf(1), await anchorOf(3)]
    await tamper(
      fresh.url,
      `update ${events} set module = 'x' where id = '${idOf(14)}'; delete from ${seals}`,
    )
    await seal(database)
    expect(await verify()).toEqual({ exitCode: 0, differences: [] })
    expect(await verify('--anchor', first)).toEqual({
      exitCode: 3,
      differences: ['replaced: seal 1 is not the one of its anchor'],
    })
    expect(await verify('--anchor', last)).toEqual({
      exitCode: 3,
      differences: ['missing: seal 3, which has an anchor'],
    })
  })

  test('shows that the end was removed together with its seals', async () => {
    const anchor = await anchorOf(3)
    await tamper(
      fresh.url,
      `delete from ${events} where id > '${idOf(20)}'; delete from ${seals} where sequence = 3`,
    )
    expect(await verify()).toEqual({ exitCode: 0, differences: [] })
    expect(await verify('--anchor', anchor)).toEqual({
      exitCode: 3,
      differences: ['missing: seal 3, which has an anchor'],
    })
  })
})
