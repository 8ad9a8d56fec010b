import { changeAs } from '@vertical-kit/core-audit/access'
import { isUuid } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { DocumentActionsError, toDocument } from '@vertical-kit/document-actions'
import { Hono } from 'hono'
import { RepeatedCreation } from '../creation.ts'
import { typeRights } from '../type-rights.ts'
import { createDraft } from './commands/create-draft.ts'
import { deleteDraft } from './commands/delete-draft.ts'
import { replaceFields } from './commands/replace-fields.ts'
import { DeleteDocumentQuery, documentShapes } from './contract.ts'
import type { DocumentType } from './document-types.ts'
import { existing, findCreated, findDocument } from './queries/find-document.ts'
import { listDocuments } from './queries/list-documents.ts'
import { refuseHidden, requireReferences, searchableBy } from './references.ts'

const tag = 'Documents'
const errors = ['documents.not_found']
const listDescription =
  '`q` finds the beginning of a number and, if the caller may view customers, the beginnings of words of the customer. ' +
  'If the caller may view invoices, it finds payments by their invoice in the same way. ' +
  '`counts=true` adds the number of documents with each status that `q` finds, up to 1,000.'
const creationDescription =
  'A request of the same user with the same `creationKey` and fields returns the document of the first one, ' +
  'until it is deleted. With other fields, it fails with `documents.creation_conflict`.'
const versionDescription =
  '`expectedVersion` is optional: the `documentVersion` of the editor state that the caller edited. If the document has ' +
  'another version, the request fails with `documents.version_conflict`. Without it, later changes are overwritten.'

/** Returns the routes `/api/documents/<type>` for drafts of one type. Each type documents its own fields. */
export function documentRoutes(database: Database, outbox: Outbox, type: DocumentType): Hono<KitEnv> {
  const shapes = documentShapes(type)
  const found = { 200: { description: 'The document', schema: shapes.document } }
  const rights = typeRights('document', type.code, () => new DocumentActionsError('documents.not_found'))
  const description = `Requires \`${rights.permission('view')}\`; without it, the type is hidden.`
  const guards = [rights.viewGuard]
  const requireDocument = async (id: string) => {
    if (!isUuid(id)) throw new DocumentActionsError('documents.not_found')
    return database.read((db) => existing(findDocument(db, { typeCode: type.code, id })))
  }

  return new Hono<KitEnv>()
    .get(
      `/api/documents/${type.code}`,
      api({
        operationId: `list${type.apiName}`,
        tag,
        summary: `Lists the ${type.plural}, newest first.`,
        description: `${description} ${listDescription}`,
        guards,
        query: shapes.listQuery,
        responses: { 200: { description: 'One page', schema: shapes.page } },
        errors,
      }),
      async (c) => {
        const caller = c.get('caller')
        const query = { ...c.req.valid('query'), type, searchable: searchableBy(caller) }
        return c.json(await database.read((db) => listDocuments(db, query), caller.since))
      },
    )
    .post(
      `/api/documents/${type.code}`,
      api({
        operationId: `create${type.apiName}`,
        tag,
        summary: `Creates a draft in the list of ${type.plural}.`,
        description: `${description} ${creationDescription}`,
        guards,
        permission: rights.permission('create'),
        body: shapes.creation,
        responses: { 201: { description: 'The draft with its number', schema: shapes.document } },
        errors: [...errors, 'documents.creation_conflict'],
      }),
      async (c) => {
        const { fields, creationKey } = c.req.valid('json')
        const references = type.referencesOf(fields)
        await database.read((db) => requireReferences(db, c.get('caller'), references))
        const authorize = rights.authorizing(c, 'create', (caller) => refuseHidden(caller, references))
        const input = { id: database.newId(), type, fields, creationKey, authorize }
        const creating = changeAs(database, c.var, (tx, actor) => createDraft(tx, { ...input, actor }))
        const draft = await creating.catch((error: unknown) => {
          if (!(error instanceof RepeatedCreation)) throw error
          return database.read((db) => existing(findCreated(db, error.creation)))
        })
        return c.json(toDocument(draft), 201)
      },
    )
    .get(
      `/api/documents/${type.code}/:id`,
      api({
        operationId: `get${type.apiName}`,
        tag,
        summary: `Returns a document from the list of ${type.plural}.`,
        description,
        guards,
        responses: found,
        errors,
      }),
      async (c) => c.json(toDocument(await requireDocument(c.req.param('id')))),
    )
    .put(
      `/api/documents/${type.code}/:id`,
      api({
        operationId: `replace${type.apiName}`,
        tag,
        summary: `Replaces the fields of a draft in the list of ${type.plural}.`,
        description: `${description} ${versionDescription} Each replacement increments the version.`,
        guards,
        permission: rights.permission('edit'),
        body: shapes.replacement,
        responses: found,
        errors: [...errors, 'documents.version_conflict', 'documents.not_draft'],
      }),
      async (c) => {
        const { fields, expectedVersion } = c.req.valid('json')
        const { id } = await requireDocument(c.req.param('id'))
        const references = type.referencesOf(fields)
        await database.read((db) => requireReferences(db, c.get('caller'), references))
        const authorize = rights.authorizing(c, 'edit', (caller) => refuseHidden(caller, references))
        const input = { id, type, fields, expectedVersion, authorize }
        const draft = await changeAs(database, c.var, (tx, actor) => replaceFields(tx, { ...input, actor }))
        return c.json(toDocument(draft))
      },
    )
    .delete(
      `/api/documents/${type.code}/:id`,
      api({
        operationId: `delete${type.apiName}`,
        tag,
        summary: `Deletes a draft from the list of ${type.plural}, unless another document refers to it.`,
        description: `${description} ${versionDescription}`,
        guards,
        permission: rights.permission('delete'),
        query: DeleteDocumentQuery,
        responses: { 204: { description: 'The draft was deleted.' } },
        errors: [...errors, 'documents.version_conflict', 'documents.not_draft', 'documents.in_use'],
      }),
      async (c) => {
        const { expectedVersion } = c.req.valid('query')
        const { id } = await requireDocument(c.req.param('id'))
        const input = { id, type, expectedVersion, authorize: rights.authorizing(c, 'delete'), outbox }
        await changeAs(database, c.var, (tx, actor) => deleteDraft(tx, { ...input, actor }))
        return c.body(null, 204)
      },
    )
}

/** Returns routes that refuse unknown types with the same error as hidden types. Mount them after all types. */
export function unknownDocumentRoutes(): Hono<KitEnv> {
  const refuse = (): never => {
    throw new DocumentActionsError('documents.not_found')
  }
  return new Hono<KitEnv>()
    .on(['GET', 'POST'], '/api/documents/:type', refuse)
    .on(['GET', 'PUT', 'DELETE'], '/api/documents/:type/:id', refuse)
}
