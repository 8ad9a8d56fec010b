import { setTimeout as delay } from 'node:timers/promises'
import type { DirectAddress } from '../../database/config.ts'
import type { Connection } from '../../database/connection.ts'
import { databaseErrorCode } from '../../database/database-errors.ts'
import { driverTypes } from '../../database/driver-types.ts'
import { endWithClient } from '../../database/end-with-client.ts'
import { sql } from '../../database/sql.ts'
import { openDb } from '../../database/tx.ts'
import { withoutTimeLimits } from '../../database/without-time-limits.ts'
import { isKitError } from '../../errors.ts'
import { insertOfEvents, type NewAuditEvent } from '../commands/record-audit.ts'
import { AuditError } from '../errors.ts'
import { partitionAction, partitionKind, securityModule } from '../security-events.ts'
import { checkExport, compareExport } from './check-export.ts'
import { type ExportManifest, manifestSha256 } from './manifest.ts'

export interface DropInput {
  /** The address of the owner of the tables. */
  readonly address: DirectAddress
  readonly year: number
  /** The folder of the export. */
  readonly directory: string
  /** How many years events are kept after the end of their year; `null` means that nothing is dropped. */
  readonly retentionYears: number | null
  /** The name of the operator's account, for the audit log. */
  readonly operator: string
  /** Maximum wait for another drop; 10 seconds when absent. */
  readonly waitMs?: number
}

/** As for an index that is built concurrently: requests do not queue behind this wait. `deploy/ha/haproxy.cfg` waits longer. */
const detachWaitMs = 3_600_000

/**
 * Detaches a partition and drops it, after its export was verified: the files match the manifest, and the manifest matches
 * each event of the partition. Readers and writers continue. After an interruption, the same call continues. An audit event
 * records the drop.
 *
 * @throws {AuditError} audit.retention_not_configured · retention_not_over · older_partition_exists · partition_not_found ·
 *   export_not_found · export_conflict · export_incomplete · export_damaged · export_differs · drop_running · drop_interrupted.
 *   Nothing is dropped then.
 */
export async function dropPartition(input: DropInput): Promise<ExportManifest> {
  const { address, directory, year, retentionYears } = input
  if (retentionYears === null) throw new AuditError('audit.retention_not_configured')
  const manifest = await checkExport(directory)
  if (manifest.year !== year) {
    throw new AuditError('audit.export_conflict', {
      detail: `${directory} contains the export of ${manifest.year}, not of ${year}.`,
    })
  }
  const { databaseUrl, password } = address
  const options = { databaseUrl, password, types: driverTypes, answerDeadlineMs: null }
  const limits = { applicationName: 'vertical-kit-audit', lockTimeoutMs: detachWaitMs }
  return withoutTimeLimits({ ...options, ...limits }, async (connection) => {
    // Otherwise a detachment would wait for older transactions for up to an hour, and the next drop would be refused until then.
    await endWithClient(connection)
    await takeTurn(connection, input.waitMs ?? turnWaitMs)
    await requireDroppable(connection, manifest, retentionYears)
    const table = sql.raw(tableOf(manifest))
    await compareExport((work) => work(openDb(connection)), table, manifest)
    await detach(connection, manifest)
    await drop(connection, manifest, input.operator)
    return manifest
  })
}

/** Enough for the server to end the session of a drop whose connection was closed. */
const turnWaitMs = 10_000
/** The pause between two attempts. */
const pollMs = 100

/**
 * Acquires the advisory lock of drops, which ends with the connection: a second drop would complete the detachment of the first
 * one, which would then fail. It asks repeatedly, because an index build would wait for a statement that waits.
 */
async function takeTurn({ statement }: Connection, waitMs: number): Promise<void> {
  const untilMs = performance.now() + waitMs
  for (;;) {
    const [turn] = await statement<{ isOurs: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('vertical-kit.audit-drop', 0)) as "isOurs"`,
    )
    if (turn?.isOurs === true) return
    if (performance.now() > untilMs) throw new AuditError('audit.drop_running')
    await delay(pollMs)
  }
}

/** The name comes from a file; `checkExport` accepts only the name of a partition, so it can become SQL. */
const tableOf = ({ partition }: ExportManifest): string => `core_audit.${partition}`

async function requireDroppable(
  { statement }: Connection,
  manifest: ExportManifest,
  retentionYears: number,
): Promise<void> {
  const [found] = await statement<{
    isOver: boolean
    older: string | null
    exists: boolean
    hasOtherBound: boolean
  }>(
    `select
      now() >= make_timestamptz($1::int + 1 + $2::int, 1, 1, 0, 0, 0, 'UTC')
        and core_audit.first_event_id(make_timestamptz($1::int + 1, 1, 1, 0, 0, 0, 'UTC')) = $3::uuid as "isOver",
      (
        -- Also a partition whose detachment was interrupted.
        select min(relname)
        from pg_class
        where relnamespace = 'core_audit'::regnamespace and relkind = 'r' and relname ~ '^audit_events_(before_)?[0-9]{4,5}$'
          and substring(relname from '[0-9]+$')::int - (relname like '%before%')::int < $1::int
      ) as older,
      exists (
        select from core_audit.audit_partitions()
        where name = $5 and (first_id, end_id) is distinct from ($6::uuid, $3::uuid)
      ) as "hasOtherBound",
      to_regclass($4) is not null as exists`,
    [
      ...[manifest.year, retentionYears, manifest.endId, tableOf(manifest)],
      ...[manifest.partition, manifest.firstId],
    ],
  )
  if (found?.exists !== true) throw alreadyDropped(manifest)
  if (found.hasOtherBound) {
    throw new AuditError('audit.export_differs', {
      detail: `${manifest.partition} has other bounds than the export: export it into a new folder.`,
    })
  }
  if (!found.isOver) {
    throw new AuditError('audit.retention_not_over', {
      detail: `AuditLog__RetentionYears: the year ${manifest.year} is kept for ${retentionYears} years after its end.`,
    })
  }
  if (found.older !== null) {
    throw new AuditError('audit.older_partition_exists', {
      detail: `The partition ${found.older} is older: drop it first, so that timelines have no gap.`,
    })
  }
}

const alreadyDropped = ({ partition }: ExportManifest): Error =>
  new AuditError('audit.partition_not_found', {
    detail: `The partition ${partition} does not exist: it was already dropped.`,
  })

/** Detaches the partition, or completes an interrupted detachment. A detached table stays as it is. */
async function detach(connection: Connection, manifest: ExportManifest): Promise<void> {
  const table = tableOf(manifest)
  const find = async () => {
    const [row] = await connection.statement<{ isPending: boolean }>(
      `select inhdetachpending as "isPending" from pg_inherits
      where inhparent = 'core_audit.audit_events'::regclass and inhrelid = to_regclass($1)`,
      [table],
    )
    return row
  }
  const state = await find()
  if (state === undefined) return
  const how = state.isPending ? 'finalize' : 'concurrently'
  try {
    await connection.script(`alter table core_audit.audit_events detach partition ${table} ${how}`)
  } catch (cause) {
    if (await isMissing(connection, table)) throw alreadyDropped(manifest)
    const now = await find().catch(() => undefined)
    throw interrupted(
      now?.isPending === false
        ? `${table} is neither detached nor dropped.`
        : `${table} may be detached, so that pages show none of its events, but it is not dropped.`,
      cause,
    )
  }
}

/** Returns whether somebody else has dropped the table. Without a connection, it is not known. */
async function isMissing({ statement }: Connection, table: string): Promise<boolean> {
  const [row] = await statement<{ isMissing: boolean }>(`select to_regclass($1) is null as "isMissing"`, [
    table,
  ]).catch(() => [])
  return row?.isMissing === true
}

/** Says what is left undone, why, and what to do. */
function interrupted(state: string, cause: unknown): Error {
  const code = databaseErrorCode(cause)
  const advice = code === undefined ? '' : (advices[code] ?? '')
  return new AuditError('audit.drop_interrupted', {
    detail: `${state}${code === undefined ? '' : ` The server answered ${code}.`} ${advice}Run the command again.`,
    cause,
  })
}

const advices: Readonly<Record<string, string>> = {
  '2BP01': 'Drop what depends on the table, such as a view. ',
  '42501': 'Use the owner of the tables in DATABASE_URL. ',
}

/** Counts again: until the detachment, a transaction could have added an event. */
async function drop(connection: Connection, manifest: ExportManifest, operator: string): Promise<void> {
  const table = tableOf(manifest)
  const dropping = connection.begin(async (runner) => {
    await runner.script(`lock table ${table} in access exclusive mode`)
    const [row] = await runner.statement<{ count: string }>(`select count(*)::text as count from ${table}`)
    if (row?.count !== String(manifest.eventCount)) {
      throw new AuditError('audit.export_differs', {
        detail: `${table} received events while it was detached. Attach it again, and export it into a new folder.`,
      })
    }
    await runner.script(`drop table ${table}`)
    await openDb(runner).execute(insertOfEvents([droppedEvent(manifest, operator)]))
  })
  await dropping.catch(async (error: unknown) => {
    if (isKitError(error)) throw error
    // This transaction has not dropped it: after its commit, only the answer can be lost, with the connection.
    if (await isMissing(connection, table)) throw alreadyDropped(manifest)
    const state = `${table} is detached, so that pages show none of its events, but its drop failed or was not confirmed.`
    throw interrupted(state, error)
  })
}

const droppedEvent = (manifest: ExportManifest, operator: string): NewAuditEvent => ({
  module: securityModule,
  target: { kind: partitionKind, typeCode: manifest.partition, id: manifest.endId },
  actionCode: partitionAction,
  actorUserId: null,
  correlationId: null,
  metadata: {
    operator,
    year: manifest.year,
    eventCount: manifest.eventCount,
    manifestSha256: manifestSha256(manifest),
  },
})
