import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { EditorState, Effects } from '../contract.ts'
import { loadEditorState, loadEffects } from '../queries/load-editor-state.ts'
import {
  type DocumentAccess,
  type DocumentActionsRoutesOptions,
  documentPath,
  tag,
} from './document-access.ts'

/** Creates the routes that read one document: its actions and its effects. */
export function readRoutes(
  { database }: DocumentActionsRoutesOptions,
  { of, guards }: DocumentAccess,
): Hono<KitEnv> {
  return new Hono<KitEnv>()
    .get(
      `${documentPath}/editor-state`,
      api({
        operationId: 'getEditorState',
        tag,
        summary:
          'Returns a document, its version, and the actions of the caller with reasons for unavailable ones.',
        guards,
        responses: { 200: { description: 'The document and its actions', schema: EditorState } },
        errors: ['documents.not_found'],
      }),
      async (c) =>
        c.json(await database.read((db) => loadEditorState(db, { ...of(c), id: c.req.param('id') }))),
    )
    .get(
      `${documentPath}/effects`,
      api({
        operationId: 'getEffects',
        tag,
        summary: 'Returns the effects of a document on the books.',
        guards,
        responses: { 200: { description: 'Accounting entries and register movements', schema: Effects } },
        errors: ['documents.not_found'],
      }),
      async (c) => c.json(await database.read((db) => loadEffects(db, { ...of(c), id: c.req.param('id') }))),
    )
}
