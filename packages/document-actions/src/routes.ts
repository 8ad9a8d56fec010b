import { newId } from '@vertical-kit/core-audit'
import { holds } from '@vertical-kit/core-audit/access'
import type { Database } from '@vertical-kit/core-audit/database'
import { api, type Guard, type KitEnv } from '@vertical-kit/core-audit/http'
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
  /** Codes that handlers refuse with, for the API description. */
  readonly handlerErrors: readonly string[]
}

const tag = 'Document actions'
const document = '/api/documents/:documentType/:id'

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

/** `/api/documents/{documentType}/{id}/…`: what may be done to a document, and doing it. */
export function documentActionsRoutes(options: DocumentActionsRoutesOptions): Hono<KitEnv> {
  const { database, outbox, types } = options

  /** A type the caller may not view is as absent as one that is not registered. */
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

  const execution = (operationId: string, summary: string) =>
    api({
      operationId,
      tag,
      summary,
      description:
        'Happens once for each Idempotency-Key of a caller: a repeat of the same request is answered with the same ' +
        'result and the header `Idempotent-Replayed: true`.',
      guards,
      headers: { 'Idempotency-Key': idempotencyKeyHeader },
      body: ExecuteActionBody,
      responses: { 200: { description: 'What it came to, now or before', schema: ExecutionResult } },
      errors: [...executionErrors, ...options.handlerErrors],
    })

  const router = new Hono<KitEnv>()
    .get(
      `${document}/editor-state`,
      api({
        operationId: 'getEditorState',
        tag,
        summary:
          'A document, its version, and the actions the caller may see, each with what speaks against it now.',
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
        summary: 'What a document has done to the books.',
        guards,
        responses: { 200: { description: 'Accounting entries and register movements', schema: Effects } },
        errors: ['documents.not_found'],
      }),
      async (c) => c.json(await database.read((db) => loadEffects(db, queryOf(c)))),
    )
    .post(
      `${document}/actions/:actionCode`,
      execution('executeAction', 'Executes an action on the version of the document that the caller saw.'),
      (c) => execute(c, c.req.param('actionCode'), c.req.valid('json')),
    )
  for (const code of lifecycleCodes) {
    router.post(
      `${document}/${pathOf(code)}`,
      execution(operationIdOf(code), `The same as the action \`${code}\`, at its older address.`),
      (c) => execute(c, code, c.req.valid('json')),
    )
  }
  return router
}

const idempotencyKeyHeader = {
  description:
    'Names this request: 1 to 200 visible ASCII characters, bare or as a quoted string. A UUID does.',
  isRequired: true,
}

/** `mark_for_deletion` was at `mark-for-deletion` before there were actions. */
const pathOf = (code: LifecycleCode): string => code.replaceAll('_', '-')

const operationIdOf = (code: LifecycleCode): string =>
  `${code.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Document`

/** @throws {DocumentActionsError} document_action.not_found, also for what only leads somewhere */
function requireAction(type: RegisteredType, code: string): RegisteredAction {
  const action = type.actions.get(code)
  if (action === undefined) throw new DocumentActionsError('document_action.not_found')
  const { executionKind } = action.definition
  if (executionKind === 'Navigation' || executionKind === 'View') {
    throw new DocumentActionsError('document_action.not_found', {
      detail: 'This action leads somewhere; there is nothing to execute.',
    })
  }
  return action
}
