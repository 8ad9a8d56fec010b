import type { Database } from '../../database/database.ts'
import { databaseErrorCode } from '../../database/database-errors.ts'
import { type SQL, sql } from '../../database/sql.ts'
import type { Worker } from '../../host/workers.ts'
import type { KitModule } from '../../module.ts'
import { version } from '../../version.ts'
import type { AuditAnchor } from './anchor.ts'
import { createAnchorPublisher } from './anchor-publisher.ts'
import type { AuditSealingConfig } from './config.ts'
import { firstId, idAt } from './event-ids.ts'
import { createHorizon, type Horizon } from './horizon.ts'
import {
  findNewestSeal,
  type NewestSeal,
  type SealEvents,
  sealEvents,
  takeSealingTurn,
} from './seal-events.ts'
import { sealingHealth } from './sealing-health.ts'

/**
 * The input of {@link createAuditSealing}. Without `storeAnchor`, administrators of the database can replace all seals
 * unnoticed.
 */
export interface AuditSealingOptions {
  readonly database: Database
  readonly config: AuditSealingConfig
  /**
   * Stores an anchor outside the database, for example in a bucket: the administrators of the database must not be able to
   * change it there. Storing the same anchor again must succeed and change nothing. If it rejects, the next cycle stores the newest
   * anchor. A call that has not settled after 3 minutes fails, too: its signal is aborted, and the next cycle first stores the same
   * anchor again. The host also calls it when it stops, and then waits for at most its `graceMs`. It must not use `database`: the
   * database of a tenant that closes does not wait for it.
   */
  readonly storeAnchor?: ((anchor: AuditAnchor, signal: AbortSignal) => Promise<void>) | undefined
}

/**
 * Maximum number of events in one seal. A seal costs about 200 bytes and 12 bytes for each event, so larger seals save little
 * space; this one takes about 50 ms.
 */
const sealEventCount = 4_096

/** The SQLSTATE of a statement that was cancelled, usually because it exceeded its time limit. */
const statementCancelled = '57014'

/**
 * Creates the module whose worker seals audit events: it chains hashes of the events, so that `audit verify` can prove that
 * nobody changed them behind the triggers. Writers of events notice nothing. Any number of hosts can run the worker: one
 * of them seals at a time. List it in at least one host.
 *
 * The newest hash is published as an anchor: in a line of the log with the field `auditAnchor`, and with `storeAnchor`.
 */
export function createAuditSealing(options: AuditSealingOptions): KitModule {
  return {
    name: '@vertical-kit/core-audit/audit-sealing',
    version,
    workers: [createSealingWorker(options)],
    health: [sealingHealth(options)],
  }
}

function createSealingWorker(options: AuditSealingOptions): Worker {
  const { database, config } = options
  const horizon = createHorizon()
  const publisher = createAnchorPublisher(options)
  return {
    name: 'audit.sealing',
    intervalMs: config.intervalMs,
    dueAt: nextSealAt(config),
    async runOnce(signal, logger) {
      let turn = await takeTurn(database, horizon)
      // A tenant that opens only for this work has one cycle, and the first look gives no horizon.
      if (turn !== null && turn.horizonMs === null) turn = await takeTurn(database, horizon)
      if (turn === null) return
      const { horizonMs } = turn
      const belowId = horizonMs === null ? null : idAt(horizonMs - config.delayMs)
      let maxEventCount = sealEventCount
      while (belowId !== null && !signal.aborted) {
        const newest = await sealNext(database, { belowId, maxEventCount }).catch((error: unknown) => {
          if (maxEventCount > 1 && databaseErrorCode(error) === statementCancelled)
            return 'too large' as const
          throw error
        })
        if (newest === null) break
        if (newest === 'too large') {
          // Otherwise, large events would stop the seals: the next cycle would begin with the same events.
          maxEventCount /= 2
          continue
        }
        turn = { horizonMs, newest }
      }
      if (turn.newest !== null) await publisher.publish(turn.newest, signal, logger)
    },
    finish: (logger) => publisher.publishNow(logger),
  }
}

/** An expression for the time from which the oldest event without a seal can be sealed. Reads one entry of each primary key. */
const nextSealAt = ({ delayMs }: AuditSealingConfig): SQL<string | null> => sql<string | null>`(
  select to_timestamp(('x0000' || left(replace(id::text, '-', ''), 12))::bit(64)::bigint / 1000.0)
    + ${delayMs}::float8 * interval '1 millisecond'
  from core_audit.audit_events
  where id > coalesce(
    (select last_event_id from core_audit.audit_seals order by sequence desc limit 1),
    ${firstId}::uuid
  )
  order by id
  limit 1
)`

/** Moves the horizon and returns it with the newest seal. Returns `null` while another replica seals. */
function takeTurn(database: Database, horizon: Horizon) {
  return database.transaction(async (tx) => {
    if (!(await takeSealingTurn(tx))) return null
    return { horizonMs: await horizon.advance(tx), newest: await findNewestSeal(tx) }
  })
}

/** Adds one seal in its own transaction. Returns `null` if no event is left, or while another replica seals. */
function sealNext(
  database: Database,
  batch: Pick<SealEvents, 'belowId' | 'maxEventCount'>,
): Promise<NewestSeal | null> {
  return database.transaction(async (tx) => {
    if (!(await takeSealingTurn(tx))) return null
    return sealEvents(tx, { newest: await findNewestSeal(tx), ...batch })
  })
}
