import { CoreError, newId } from '@vertical-kit/core-audit'
import { holds } from '@vertical-kit/core-audit/access'
import type { Database } from '@vertical-kit/core-audit/database'
import { type ApiDescription, api, type Guard, type KitEnv } from '@vertical-kit/core-audit/http'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { type Context, Hono } from 'hono'
import { type LifecycleCode, lifecycleCodes } from './actions/lifecycle.ts'
import type { RegisteredAction, RegisteredType, TypeRegistry } from './actions/registry.ts'
import { executeAction } from './commands/execute-action.ts'
import { EditorState, Effects, ExecuteActionBody, ExecutionResult } from './contract.ts'
import { DocumentActionsError } from './errors.ts'
import { fingerprintOf } from './idempotency/fingerprint.ts'
import { readIdempotencyKey } from './idempotency/idempotency-key.ts'
import { loadEditorState, loadEffects } from './queries/load-editor-state.ts'

export interface DocumentActionsRoutesOptions {
  readonly database: Database
  readonly outbox: Outbox
  readonly types: TypeRegistry
  /** The error codes that handlers throw, for the API description. */
  readonly handlerErrors: readonly string[]
}

const tag = 'Document actions'
const document = '/api/documents/:documentType/:id'

/** The older paths of lifecycle steps remain for clients of earlier releases. */
const deprecatedSinceUtc = '2026-11-22T00:00:00Z'

const executionErrors = [
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

/** Creates the routes under `/api/documents/{documentType}/{id}/`. They list and execute actions and list effects. */
export function documentActionsRoutes(options: DocumentActionsRoutesOptions): Hono<KitEnv> {
  const { database, outbox, types } = options

  /** Throws the same error for unknown types and for types that the caller may not view. */
  const requireType = (c: Context<KitEnv>): RegisteredType => {
    const type = types.get(c.req.param('documentType') ?? '')
    if (type === undefined || !holds(c.get('caller'), type.viewPermission)) {
      throw new DocumentActionsError('documents.not_found')
    }
    return type
  }
  const guards: readonly Guard[] = [(c) => void requireType(c)]

  const queryOf = (c: Context<KitEnv>) => ({
    type: requireType(c),
    id: c.req.param('id') ?? '',
    caller: c.get('caller'),
  })

  const execute = async (
    c: Context<KitEnv>,
    actionCode: string,
    body: ExecuteActionBody,
  ): Promise<Response> => {
    const { type, caller, ...query } = queryOf(c)
    const id = query.id.toLowerCase()
    const action = requireAction(type, actionCode)
    const idempotencyKey = readIdempotencyKey(c.req.header('idempotency-key'))
    const { result, isReplay } = await executeAction(database, {
      executionId: newId(),
      outbox,
      type,
      id,
      action,
      idempotencyKey,
      fingerprint: fingerprintOf({
        documentType: type.definition.typeCode,
        documentId: id,
        actionCode,
        body: c.get('json'),
      }),
      body,
      caller,
      actor: c.get('actor'),
      callerNow: c.get('callerNow'),
    })
    if (isReplay) c.header('Idempotent-Replayed', 'true')
    return c.json(result)
  }

  const execution = (
    operation: Pick<ApiDescription<undefined, undefined>, 'operationId' | 'summary' | 'deprecation'>,
  ) =>
    api({
      ...operation,
      tag,
      description:
        'Each Idempotency-Key of a caller is executed at most once. A repeat of the same request returns the same ' +
        'result with the header `Idempotent-Replayed: true`.',
      guards,
      headers: { 'Idempotency-Key': idempotencyKeyHeader },
      body: ExecuteActionBody,
      responses: { 200: { description: 'The result of the execution', schema: ExecutionResult } },
      errors: [...executionErrors, ...options.handlerErrors],
    })

  const router = new Hono<KitEnv>()
    .get(
      `${document}/editor-state`,
      api({
        operationId: 'getEditorState',
        tag,
        summary:
          'Returns a document, its version, and the actions of the caller with reasons for unavailable ones.',
        guards,
        responses: { 200: { description: 'The document and its actions', schema: EditorState } },
        errors: ['documents.not_found'],
      }),
      async (c) => c.json(await database.read((db) => loadEditorState(db, queryOf(c)))),
    )
    .get(
      `${document}/effects`,
      api({
        operationId: 'getEffects',
        tag,
        summary: 'Returns the effects of a document on the books.',
        guards,
        responses: { 200: { description: 'Accounting entries and register movements', schema: Effects } },
        errors: ['documents.not_found'],
      }),
      async (c) => c.json(await database.read((db) => loadEffects(db, queryOf(c)))),
    )
    .post(
      `${document}/actions/:actionCode`,
      execution({
        operationId: 'executeAction',
        summary: 'Executes an action if the document still has the expected version.',
      }),
      (c) => execute(c, c.req.param('actionCode'), c.req.valid('json')),
    )
  // This route was removed. An application often has `/api/documents/:type/:id` with other methods, so the answer would be 405.
  router.post('/api/documents/:documentType/derive', () => {
    throw new CoreError('request.route_not_found')
  })
  for (const code of lifecycleCodes) {
    router.post(
      `${document}/${pathOf(code)}`,
      execution({
        operationId: operationIdOf(code),
        summary: `Executes the action \`${code}\`. Older path of the same operation.`,
        deprecation: { sinceUtc: deprecatedSinceUtc, successor: `actions/${code}` },
      }),
      (c) => execute(c, code, c.req.valid('json')),
    )
  }
  return router
}

const idempotencyKeyHeader = {
  description:
    'Identifies this request: 1 to 200 visible ASCII characters, bare or as a quoted string. Use a UUID.',
  isRequired: true,
}

/** Returns the older path of a lifecycle step, such as `mark-for-deletion` for `mark_for_deletion`. */
const pathOf = (code: LifecycleCode): string => code.replaceAll('_', '-')

const operationIdOf = (code: LifecycleCode): string =>
  `${code.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Document`

/** Returns an executable action. @throws {DocumentActionsError} document_action.not_found, also for navigations */
function requireAction(type: RegisteredType, code: string): RegisteredAction {
  const action = type.actions.get(code)
  if (action === undefined) throw new DocumentActionsError('document_action.not_found')
  const { executionKind } = action.definition
  if (executionKind === 'Navigation' || executionKind === 'View') {
    throw new DocumentActionsError('document_action.not_found', {
      detail: 'This action only opens a page. It cannot be executed.',
    })
  }
  return action
}
