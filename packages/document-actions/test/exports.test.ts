import type { Database, Db, Tx } from '@vertical-kit/core-audit/database'
import type {
  CreateDocument,
  DocumentActions,
  DocumentActionsOptions,
  DocumentReference,
  DocumentStore,
  DocumentUpdate,
  Fields,
  StoredDocument,
} from '@vertical-kit/document-actions'
import * as documentActions from '@vertical-kit/document-actions'
import * as contract from '@vertical-kit/document-actions/contract'
import packageJson from '@vertical-kit/document-actions/package.json' with { type: 'json' }
import * as schema from '@vertical-kit/document-actions/schema'
import * as internal from '@vertical-kit/document-actions/schema/internal'
import { expect, expectTypeOf, test } from 'vitest'

test('the package exports exactly these names', () => {
  expect(Object.keys(packageJson.exports)).toEqual([
    '.',
    './contract',
    './schema',
    './schema/internal',
    './package.json',
  ])
  expect(Object.keys(documentActions).toSorted()).toEqual([
    'DocumentActionsError',
    'actionCompleted',
    'checkDraft',
    'checkVersion',
    'createDocument',
    'createDocumentActions',
    'documentActionsMigrations',
    'documentColumns',
    'documentType',
    'genericDocumentStore',
    'lifecycleCodes',
    'readDocumentActionsConfig',
    'referenceRows',
    'toDocument',
    'toStoredDocument',
  ])
  expect(Object.keys(contract).toSorted()).toEqual([
    'ActionRoles',
    'BatchResult',
    'Confirmation',
    'DisabledReason',
    'Document',
    'DocumentAction',
    'DryRunResult',
    'EditorState',
    'Effects',
    'ExecuteActionBody',
    'ExecuteBatchBody',
    'ExecutionResult',
    'RelatedDocuments',
    'Remedy',
    'actionKinds',
    'confirmationModes',
    'documentStatuses',
    'executionKinds',
    'maxBatchItems',
  ])
  expect(Object.keys(schema).toSorted()).toEqual(['derivedDocuments', 'documentActionsSchema', 'documents'])
  expect(Object.keys(internal).toSorted()).toEqual(['derivations', 'executions'])
})

test('the enumerations for clients match the contract', () => {
  expect(contract.documentStatuses).toEqual(['Draft', 'Posted', 'MarkedForDeletion'])
  expect(contract.actionKinds).toEqual(['Primary', 'Secondary', 'Dangerous'])
  expect(contract.executionKinds).toEqual(['Command', 'Derivation', 'Navigation', 'View'])
  expect(contract.confirmationModes).toEqual(['None', 'Confirm', 'RequireReason'])
  expect(documentActions.actionCompleted.type).toBe('document.action.completed')
})

test('writing functions require a transaction, and reading functions do not', () => {
  expectTypeOf(documentActions.createDocument<Fields>).toEqualTypeOf<
    (tx: Tx, input: CreateDocument) => Promise<StoredDocument>
  >()
  expectTypeOf(documentActions.createDocumentActions).toEqualTypeOf<
    (options: DocumentActionsOptions) => DocumentActions
  >()
  expectTypeOf<DocumentActionsOptions['database']>().toEqualTypeOf<Database>()
  expectTypeOf<DocumentStore['find']>().parameters.toEqualTypeOf<[db: Db, reference: DocumentReference]>()
  expectTypeOf<DocumentStore['lock']>().parameters.toEqualTypeOf<[tx: Tx, reference: DocumentReference]>()
  expectTypeOf<DocumentStore['save']>().parameters.toEqualTypeOf<[tx: Tx, update: DocumentUpdate]>()
})

test('error codes and statuses match the contract', () => {
  const { table } = documentActions.DocumentActionsError
  expect(Object.entries(table).map(([code, { status }]) => `${status} ${code}`)).toEqual([
    '404 documents.not_found',
    '409 documents.version_conflict',
    '409 documents.not_draft',
    '404 document_action.not_found',
    '403 document_action.forbidden',
    '409 document_action.unavailable',
    '400 document_action.idempotency_key_required',
    '400 document_action.idempotency_key_invalid',
    '422 document_action.idempotency_conflict',
    '409 document_action.in_progress',
    '400 document_action.reason_required',
    '400 document_action.reason_invalid',
  ])
  expect(table['document_action.in_progress'].headers).toEqual({ 'Retry-After': '1' })
})

test('an error code accepts only its own context', () => {
  const { DocumentActionsError } = documentActions
  const context = { reasonCodes: ['shop.closed'] }
  expect(new DocumentActionsError('document_action.unavailable', { context })).toMatchObject({ context })
  // @ts-expect-error: this is the context of another code
  expect(new DocumentActionsError('documents.version_conflict', { context })).toBeInstanceOf(Error)
  // @ts-expect-error: the code is unknown
  expect(() => new DocumentActionsError('documents.unknown')).toThrow(TypeError)
})
