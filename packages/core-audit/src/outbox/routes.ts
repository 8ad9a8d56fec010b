import { Hono } from 'hono'
import { requirePermission } from '../access/caller.ts'
import { changeAs } from '../access/change-as.ts'
import type { Database } from '../database/database.ts'
import { api } from '../http/api.ts'
import type { KitEnv } from '../http/kit-env.ts'
import { discardDeadLetters, retryDeadLetters } from './commands/change-dead-letters.ts'
import {
  ChangeDeadLettersBody,
  ChangedDeadLetters,
  DeadLetterPage,
  ListDeadLettersQuery,
  OutboxEventHistory,
  OutboxState,
} from './contract.ts'
import { OutboxError } from './errors.ts'
import { summarizeFailure } from './failure.ts'
import { manageOutbox as permission } from './permissions.ts'
import { findEventHistory } from './queries/find-event-history.ts'
import { listDeadLetters } from './queries/list-dead-letters.ts'
import { summarizeOutbox } from './queries/summarize-outbox.ts'

export interface OutboxRoutesOptions {
  readonly database: Database
  /** Wakes the consumers, so that they handle a retried event at once. */
  readonly wake: () => void
}

const tag = 'Outbox'
const textOf = (failure: Readonly<Record<string, unknown>> | null): string | null =>
  failure === null ? null : summarizeFailure(failure)

/** The two changes to a dead letter. Both leave the order of the events of a subject unchanged. */
const changes = [
  {
    verb: 'retry',
    operationId: 'retryDeadLetters',
    summary: 'Makes dead letters of an event pending again, with all attempts available.',
    change: retryDeadLetters,
  },
  {
    verb: 'discard',
    operationId: 'discardDeadLetters',
    summary: 'Discards dead letters of an event. Later events of the subject continue.',
    change: discardDeadLetters,
  },
] as const

/** Creates the routes of `/api/system/outbox`. */
export function outboxRoutes({ database, wake }: OutboxRoutesOptions): Hono<KitEnv> {
  const app = new Hono<KitEnv>()
    .get(
      '/api/system/outbox',
      api({
        operationId: 'getOutboxState',
        tag,
        summary: 'Counts the pending deliveries and dead letters of each consumer.',
        permission,
        responses: { 200: { description: 'The consumers', schema: OutboxState } },
      }),
      async (c) => c.json({ consumers: await database.read((db) => summarizeOutbox(db, null)) }),
    )
    .get(
      '/api/system/outbox/dead-letters',
      api({
        operationId: 'listDeadLetters',
        tag,
        summary: 'Lists dead letters, oldest first.',
        permission,
        query: ListDeadLettersQuery,
        responses: { 200: { description: 'One page', schema: DeadLetterPage } },
      }),
      async (c) => {
        const { consumer = null, limit, cursor = null } = c.req.valid('query')
        const page = await database.read((db) => listDeadLetters(db, { consumer, limit, cursor }))
        const items = page.items.map(({ lastFailure, ...letter }) => ({
          ...letter,
          lastError: textOf(lastFailure),
        }))
        return c.json({ items, nextCursor: page.nextCursor })
      },
    )
    .get(
      '/api/system/outbox/events/:id',
      api({
        operationId: 'getOutboxEvent',
        tag,
        summary: 'Returns the deliveries and attempts of an event, without its data.',
        permission,
        responses: { 200: { description: 'The event', schema: OutboxEventHistory } },
        errors: ['outbox.event_not_found'],
      }),
      async (c) => {
        const history = await database.read((db) => findEventHistory(db, c.req.param('id')))
        if (history === undefined) throw new OutboxError('outbox.event_not_found')
        const attempts = history.attempts.map(({ failure, ...attempt }) => ({
          ...attempt,
          error: textOf(failure),
        }))
        return c.json({ ...history, attempts })
      },
    )
  for (const { verb, operationId, summary, change } of changes) {
    app.post(
      `/api/system/outbox/events/:id/${verb}`,
      api({
        operationId,
        tag,
        summary,
        description:
          'The audit log keeps the reason. If several administrators do this at once, one succeeds.',
        permission,
        body: ChangeDeadLettersBody,
        responses: { 200: { description: 'The consumers', schema: ChangedDeadLetters } },
        errors: ['outbox.event_not_found', 'outbox.delivery_not_found', 'outbox.not_dead'],
      }),
      async (c) => {
        const input = { ...c.req.valid('json'), eventId: c.req.param('id') ?? '' }
        const consumers = await changeAs(database, c.var, async (tx, actor) => {
          tx.afterCommit(wake)
          const changed = await change(tx, { ...input, by: { userId: actor.userId } })
          requirePermission(await c.get('callerNow')(tx), permission)
          return changed
        })
        return c.json({ consumers })
      },
    )
  }
  return app
}
