import { newId } from '@vertical-kit/core-audit'
import { api, type KitEnv, problemOf } from '@vertical-kit/core-audit/http'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import { executeBatch } from '../commands/execute-batch.ts'
import { BatchResult, ExecuteBatchBody } from '../contract.ts'
import { batchItemKey, maxBatchKeyChars } from '../idempotency/batch-key.ts'
import { fingerprintOf } from '../idempotency/fingerprint.ts'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import { requireExecutable } from '../policy.ts'
import {
  type DocumentAccess,
  type DocumentActionsRoutesOptions,
  requireExecutableAction,
  tag,
} from './document-access.ts'
import { executionErrors } from './execution-routes.ts'

/** Later executions of a batch are not started. Proxies often close a request without an answer after 60 s. */
const batchLimitMs = 45_000

/** A batch has no dry run. A client that asks for one must not execute the actions. */
const BatchQuery = v.object({
  dryRun: v.optional(v.literal('false', 'a batch has no dry run')),
})

/** Creates the route that executes an action on several documents of a type. */
export function batchRoutes(
  { database, outbox, types, handlerErrors }: DocumentActionsRoutesOptions,
  { of, guards }: DocumentAccess,
): Hono<KitEnv> {
  const execute = async (
    c: Context<KitEnv>,
    actionCode: string,
    { items, reason = null }: ExecuteBatchBody,
  ): Promise<BatchResult> => {
    const { type, caller } = of(c)
    const action = requireExecutableAction(type, actionCode)
    const batchKey = readIdempotencyKey(c.req.header('idempotency-key'), maxBatchKeyChars)
    const shared = {
      ...{ outbox, types, type, action, caller },
      actor: c.get('actor'),
      callerNow: c.get('callerNow'),
    }
    const results = await executeBatch(database, {
      ...{ action, caller, reason },
      signal: AbortSignal.timeout(batchLimitMs),
      problemOf: (error) => problemOf(error, c),
      items: items.map(({ id, ...rest }) => ({
        id,
        request() {
          const documentId = id.toLowerCase()
          const body = { ...rest, reason }
          return {
            ...{ ...shared, executionId: newId(), id: documentId, body },
            idempotencyKey: batchItemKey(batchKey, documentId),
            fingerprint: fingerprintOf({
              ...{ documentType: type.definition.typeCode, documentId, actionCode, body },
            }),
          }
        },
      })),
    })
    return { results }
  }

  /** Checks the permission before the request is read. */
  const requirePermission = (c: Context<KitEnv>): void => {
    const { type, caller } = of(c)
    requireExecutable(caller, requireExecutableAction(type, c.req.param('actionCode') ?? ''))
  }

  return new Hono<KitEnv>().post(
    '/api/documents/:documentType/actions/:actionCode/batch',
    api({
      operationId: 'executeBatch',
      tag,
      summary: 'Executes an action on up to 100 documents, each in its own transaction.',
      description:
        'The results have the order of the items, each with the status of a single execution. A repeat with the same ' +
        'Idempotency-Key executes the documents without a completed execution, and returns the results of the others. ' +
        'A missing permission or reason refuses the whole request.',
      guards: [...guards, requirePermission],
      headers: {
        'Idempotency-Key': {
          description: `Identifies this batch: 1 to ${maxBatchKeyChars} visible ASCII characters, bare or as a quoted string.`,
          isRequired: true,
        },
      },
      query: BatchQuery,
      body: ExecuteBatchBody,
      responses: { 200: { description: 'One result for each item', schema: BatchResult } },
      errors: [...executionErrors, ...handlerErrors],
    }),
    async (c) => c.json(await execute(c, c.req.param('actionCode'), c.req.valid('json'))),
  )
}
