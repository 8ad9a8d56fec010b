import { newId } from '@vertical-kit/core-audit'
import { type ApiDescription, api, type KitEnv } from '@vertical-kit/core-audit/http'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import { type LifecycleCode, lifecycleCodes } from '../actions/lifecycle.ts'
import type { ActionRequest } from '../commands/action-request.ts'
import { dryRunAction } from '../commands/dry-run-action.ts'
import { executeAction } from '../commands/execute-action.ts'
import { DryRunResult, ExecuteActionBody, ExecutionResult } from '../contract.ts'
import { fingerprintOf } from '../idempotency/fingerprint.ts'
import { parseIdempotencyKey, readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import { requireExecutable } from '../policy.ts'
import {
  type DocumentAccess,
  type DocumentActionsRoutesOptions,
  documentPath,
  requireExecutableAction,
  tag,
} from './document-access.ts'

/** The older paths of lifecycle steps remain for clients of earlier releases. */
const deprecatedSinceUtc = '2026-11-22T00:00:00Z'

/** The error codes of every execution. */
export const executionErrors = [
  'documents.not_found',
  'documents.version_conflict',
  'document_action.not_found',
  'document_action.forbidden',
  'document_action.unavailable',
  'document_action.idempotency_key_required',
  'document_action.idempotency_key_invalid',
  'document_action.idempotency_conflict',
  'document_action.in_progress',
  'document_action.reason_required',
  'document_action.reason_invalid',
] as const

/** An empty value counts as absent. Other values are refused: a client that misspells one must not execute the action. */
const ExecuteQuery = v.object({
  dryRun: v.optional(v.pipe(v.string(), v.regex(/^(?:true|false)$/, 'expected true or false'))),
})
type ExecuteQuery = v.InferOutput<typeof ExecuteQuery>

/** The query and the body of an execution. */
interface ExecutionInput {
  readonly query: ExecuteQuery
  readonly body: ExecuteActionBody
}

/** Creates the routes that execute an action on one document. */
export function executionRoutes(
  { database, outbox, types, handlerErrors }: DocumentActionsRoutesOptions,
  { of, guards }: DocumentAccess,
): Hono<KitEnv> {
  const execute = async (
    c: Context<KitEnv>,
    actionCode: string,
    input: ExecutionInput,
  ): Promise<Response> => {
    const { type, caller } = of(c)
    const request: ActionRequest = {
      executionId: newId(),
      ...{ type, types },
      id: (c.req.param('id') ?? '').toLowerCase(),
      action: requireExecutableAction(type, actionCode),
      body: input.body,
      caller,
      actor: c.get('actor'),
      callerNow: c.get('callerNow'),
    }
    const fingerprint = () =>
      fingerprintOf({
        documentType: type.definition.typeCode,
        documentId: request.id,
        actionCode,
        body: c.get('json'),
      })
    if (input.query.dryRun === 'true') {
      // Refuses values that no execution accepts, such as an infinite number.
      fingerprint()
      return c.json(await dryRunAction(database, { ...request, actor: readActor(c) }))
    }
    const { result, isReplay } = await executeAction(database, {
      ...{ ...request, outbox },
      idempotencyKey: readIdempotencyKey(c.req.header('idempotency-key')),
      fingerprint: fingerprint(),
    })
    if (isReplay) c.header('Idempotent-Replayed', 'true')
    return c.json(result)
  }

  /**
   * Checks the permission before the request is read. A caller who has lost the permission can still repeat a completed
   * execution, so a request with a key is checked after the key was looked up.
   */
  const requirePermission = (c: Context<KitEnv>, actionCode: string): void => {
    const { type, caller } = of(c)
    const action = requireExecutableAction(type, actionCode)
    if (parseIdempotencyKey(c.req.header('idempotency-key')) === undefined) requireExecutable(caller, action)
  }

  const execution = (
    operation: Pick<ApiDescription<undefined, undefined>, 'operationId' | 'summary' | 'deprecation'>,
    actionCode?: string,
  ) =>
    api({
      ...operation,
      tag,
      description:
        'Each Idempotency-Key of a caller is executed at most once. A repeat of the same request returns the same ' +
        'result with the header `Idempotent-Replayed: true`. With `dryRun=true`, everything is rolled back: the answer ' +
        'shows the state as it would be, nothing is stored, and no key is needed.',
      guards: [...guards, (c) => requirePermission(c, actionCode ?? c.req.param('actionCode') ?? '')],
      headers: { 'Idempotency-Key': idempotencyKeyHeader },
      query: ExecuteQuery,
      body: ExecuteActionBody,
      responses: {
        200: {
          description: 'The result of the execution, or the state after a dry run',
          schema: v.union([ExecutionResult, DryRunResult]),
        },
      },
      errors: [...executionErrors, ...handlerErrors],
    })

  const router = new Hono<KitEnv>().post(
    `${documentPath}/actions/:actionCode`,
    execution({
      operationId: 'executeAction',
      summary: 'Executes an action if the document still has the expected version.',
    }),
    (c) => execute(c, c.req.param('actionCode'), { query: c.req.valid('query'), body: c.req.valid('json') }),
  )
  for (const code of lifecycleCodes) {
    router.post(
      `${documentPath}/${pathOf(code)}`,
      execution(
        {
          operationId: operationIdOf(code),
          summary: `Executes the action \`${code}\`. Older path of the same operation.`,
          deprecation: { sinceUtc: deprecatedSinceUtc, successor: `actions/${code}` },
        },
        code,
      ),
      (c) => execute(c, code, { query: c.req.valid('query'), body: c.req.valid('json') }),
    )
  }
  return router
}

/** Returns the actor of a request that writes nothing: it does not update the record of a known user. */
function readActor(c: Context<KitEnv>): ActionRequest['actor'] {
  const { userId, displayName } = c.get('caller')
  if (userId === null) return c.get('actor')
  return async () => ({ userId, displayName, correlationId: c.get('requestId') })
}

const idempotencyKeyHeader = {
  description:
    'Identifies this request: 1 to 200 visible ASCII characters, bare or as a quoted string. Use a UUID. Required unless ' +
    '`dryRun=true`.',
  isRequired: false,
}

/** Returns the older path of a lifecycle step, such as `mark-for-deletion` for `mark_for_deletion`. */
const pathOf = (code: LifecycleCode): string => code.replaceAll('_', '-')

const operationIdOf = (code: LifecycleCode): string =>
  `${code.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Document`
