import { CoreError, sql } from '@vertical-kit/core-audit'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import { placeholderNumbers } from '../actions/draw-number.ts'
import type { DryRunResult } from '../contract.ts'
import { toDocument } from '../documents/document-row.ts'
import { DocumentActionsError } from '../errors.ts'
import { type ActionRequest, checkUnlocked } from './action-request.ts'
import { performAction } from './perform-action.ts'

/** The limits of dry runs. They are short, because a dry run locks its document like an execution. */
export interface DryRunLimits {
  /** Maximum duration of one statement and of one wait for a lock. */
  readonly statementMs: number
  /** Maximum duration of the whole transaction, before its rollback. */
  readonly transactionMs: number
}

const defaultLimits: DryRunLimits = { statementMs: 2_000, transactionMs: 5_000 }

/**
 * Performs an action up to the commit, then rolls everything back. Returns the state as it would be after the action. Uses
 * no key and draws no number. Writes no audit event, outbox event and answer, and runs no `afterCommit` function.
 *
 * @throws the errors of an execution, except those of its key
 * @throws {CoreError} service.unavailable if the dry run takes longer than its limits
 */
export async function dryRunAction(
  database: Database,
  request: ActionRequest,
  limits: DryRunLimits = defaultLimits,
): Promise<DryRunResult> {
  const { type, id } = request
  const { store, typeCode } = type.definition
  if (!isUuid(id)) throw new DocumentActionsError('documents.not_found')
  const input = checkUnlocked(request, await database.read((db) => store.find(db, { typeCode, id })))
  const numbers = placeholderNumbers()
  return rolledBack(database, limits, async (tx) => {
    const { event, actions, createdDocument } = await performAction(tx, request, {
      ...input,
      actor: await request.actor(tx),
      drawNumber: numbers.drawNumber,
    })
    const { after } = event
    const [, effects] = await Promise.all([
      // Checks at once what PostgreSQL would check at the commit.
      tx.execute(sql`set constraints all immediate`),
      type.definition.loadEffects?.(tx, after),
    ])
    return {
      document: toDocument(after),
      documentVersion: after.version,
      actions,
      createdDocument: createdDocument && numbers.without(toDocument(createdDocument)),
      effects: effects ?? { accountingEntries: [], registerMovements: [] },
    }
  })
}

/** Never commits. Rejecting the transaction's work also discards the functions that were passed to `afterCommit`. */
async function rolledBack<T>(
  database: Database,
  limits: DryRunLimits,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const end = Symbol('end of the dry run')
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const expire = () =>
    reject(new CoreError('service.unavailable', { detail: 'The dry run took too long. Try again.' }))
  let result: { readonly value: T } | undefined
  try {
    await database.transaction(async (tx) => {
      await limitStatements(tx, limits)
      const timer = setTimeout(expire, limits.transactionMs)
      try {
        // The rollback follows the running statement, and later statements of the work are rejected.
        result = { value: await Promise.race([work(tx), expired]) }
      } finally {
        clearTimeout(timer)
      }
      throw end
    })
  } catch (error) {
    if (error !== end) throw error
  }
  return (result as { readonly value: T }).value
}

/** Lowers the limits of this transaction, unless the limits of the connection are lower. A limit of 0 means no limit. */
async function limitStatements(tx: Tx, { statementMs }: DryRunLimits): Promise<void> {
  await tx.execute(sql`
    select set_config(name, least(nullif(setting::int, 0), ${statementMs}::int)::text, true)
    from pg_catalog.pg_settings
    where name in ('statement_timeout', 'lock_timeout')`)
}
