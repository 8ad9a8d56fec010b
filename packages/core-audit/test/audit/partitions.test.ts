import { randomBytes } from 'node:crypto'
import { newId, recordAudit } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { auditPartitionsHealth, auditPartitionsWorker } from '../../src/audit/partition-upkeep.ts'
import { auditPartitionsCheck } from '../../src/doctor/audit-partitions.ts'
import { openConnection, openDatabase, openPool, runSql, shiftHostClock } from '../harness.ts'
import { event } from './events.ts'

let fresh: FreshDatabase
let database: Database
beforeEach(async () => {
  fresh = await openDatabase()
  database = openPool(fresh.url)
  return () => fresh.drop()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const role = `audit_host_${randomBytes(6).toString('hex')}`
afterAll(() => runSql(inject('postgresUrl'), `drop role if exists ${role}`))

const year = new Date().getUTCFullYear()
const signal = AbortSignal.timeout(60_000)
const partitionNames = async (): Promise<readonly string[]> =>
  (await openConnection(fresh.url)`select name from core_audit.audit_partitions()`).map(({ name }) => name)

/** Drops every partition that has a lower bound, as if the worker had never run. */
async function dropLaterPartitions(): Promise<void> {
  const names = await partitionNames()
  const later = names.filter((name) => !name.includes('before'))
  await runSql(fresh.url, later.map((name) => `drop table core_audit.${name};`).join(''))
}

describe('an id', () => {
  test('has the time of the server, even if the clock of the host is wrong', async () => {
    shiftHostClock(-4 * 366 * 86_400_000)
    await database.transaction((tx) => recordAudit(tx, event()))
    const [row] = await database.read((db) =>
      db.execute<{ id: string; isNow: boolean }>(sql`
        select id, id between core_audit.first_event_id(occurred_at - interval '1 second')
          and core_audit.first_event_id(occurred_at + interval '1 second') as "isNow"
        from core_audit.audit_events`),
    )
    expect(row).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/),
      isNow: true,
    })
  })

  test('is larger than every earlier id of its session', async () => {
    const [row] = await database.read((db) =>
      db.execute<{ isAscending: boolean }>(sql`
        select bool_and(id > before) as "isAscending"
        from (select id, lag(id) over (order by n) as before from (
          select n, core_audit.event_id() as id from generate_series(1, 20000) n offset 0) ids) pairs
        where before is not null`),
    )
    expect(row).toEqual({ isAscending: true })
  })
})

describe('the worker', () => {
  test('creates the partitions of this year and the next two, once, from several hosts', async () => {
    const before = await partitionNames()
    await dropLaterPartitions()
    const hosts = [database, openPool(fresh.url), openPool(fresh.url)]
    await Promise.all(hosts.map((host) => auditPartitionsWorker(host).runOnce(signal)))
    expect(await partitionNames()).toEqual(before)
    expect(before).toContain(`audit_events_${year + 2}`)
    await auditPartitionsWorker(database).runOnce(signal)
    expect(await partitionNames()).toEqual(before)
  })

  test('creates a year that is missing between two others', async () => {
    await runSql(
      fresh.url,
      `select core_audit.create_audit_partition(${year + 3}); drop table core_audit.audit_events_${year + 1}`,
    )
    expect(await auditPartitionsHealth(database).check(signal)).toMatchObject({ status: 'Degraded' })
    await auditPartitionsWorker(database).runOnce(signal)
    expect(await partitionNames()).toContain(`audit_events_${year + 1}`)
    expect(await auditPartitionsHealth(database).check(signal)).toEqual({ status: 'Healthy' })
  })

  test('creates them with the role of a host, which cannot create tables or use a partition', async () => {
    await dropLaterPartitions()
    await runSql(
      fresh.url,
      `create role ${role} login password 'host';
       grant usage on schema core_audit to ${role};
       alter default privileges in schema core_audit grant all on tables to ${role};
       grant select, insert on core_audit.audit_events to ${role}`,
    )
    const url = new URL(fresh.url)
    url.username = role
    url.password = 'host'
    const host = openPool(url.href)
    await expect(auditPartitionsWorker(host).runOnce(signal)).rejects.toMatchObject({ code: '42501' })
    await runSql(fresh.url, `grant execute on function core_audit.create_audit_partitions to ${role}`)
    await auditPartitionsWorker(host).runOnce(signal)
    expect(await partitionNames()).toContain(`audit_events_${year + 2}`)
    const rights = await openConnection(fresh.url)`
      select has_table_privilege(${role}, 'core_audit.' || name, 'select, insert, update, delete, truncate') as may_use
      from core_audit.audit_partitions()`
    expect(rights.filter(({ may_use }) => may_use === true)).toEqual([])
    await host.transaction((tx) => recordAudit(tx, event()))
    await runSql(fresh.url, `drop owned by ${role}`)
  })

  test.each([
    ['pg_inherits', 'where false'],
    ['pg_class', 'where false'],
    ['pg_trigger', ''],
  ])('a temporary table %s of the caller has no effect', async (catalog, rows) => {
    await dropLaterPartitions()
    const sql = openConnection(fresh.url)
    await sql.unsafe(`create temp table ${catalog} as select * from pg_catalog.${catalog} ${rows}`)
    if (catalog === 'pg_trigger') {
      // Claims that every table has the trigger.
      await sql.unsafe(`
        insert into pg_temp.pg_trigger (tgrelid, tgname)
        select n::oid, 'audit_events_no_truncate' from generate_series(16384, 60000) n`)
    }
    await sql`select core_audit.create_audit_partitions()`
    await sql`select core_audit.create_audit_partitions()`
    const created = `core_audit.audit_events_${year + 2}`
    expect(await partitionNames()).toContain(`audit_events_${year + 2}`)
    await expect(sql.unsafe(`truncate ${created}`)).rejects.toMatchObject({ code: '42501' })
  })

  test('health and the doctor report a missing partition of the next year', async () => {
    const check = () => auditPartitionsHealth(database).check(signal)
    const context = { signal, origins: [], token: undefined, replicaCount: 1, now: Date.now }
    const diagnose = () => auditPartitionsCheck(database).run(context)
    expect(await check()).toEqual({ status: 'Healthy' })
    expect(await diagnose()).toMatchObject({ status: 'ok' })
    await dropLaterPartitions()
    // If the first partition ends with the next year, there is one for the next year.
    const isMissing = (await partitionNames())[0] === `audit_events_before_${year + 1}`
    expect(await check()).toMatchObject({ status: isMissing ? 'Degraded' : 'Healthy' })
    expect(await diagnose()).toMatchObject({ status: isMissing ? 'failed' : 'ok' })
    await runSql(fresh.url, 'alter table core_audit.audit_events rename to other_events')
    await expect(check()).resolves.toMatchObject({ status: 'Degraded' })
  })
})

test('an event with an id outside all partitions is rejected', async () => {
  const attempt = database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.audit_events (id, module, target_kind, target_type_code, target_id, action_code)
      values ('f0000000-0000-4000-8000-000000000000', 'a', 'b', 'c', ${newId()}::uuid, 'd')`),
  )
  await expect(attempt).rejects.toMatchObject({ code: '23514' })
})
