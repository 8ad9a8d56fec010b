import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { ActionRoles, EditorState, Effects, RelatedDocuments } from '../contract.ts'
import { findVisible, loadEditorState, loadEffects } from '../queries/load-editor-state.ts'
import { loadRelated } from '../queries/load-related.ts'
import {
  type DocumentAccess,
  type DocumentActionsRoutesOptions,
  documentPath,
  requireAction,
  tag,
} from './document-access.ts'

/** Creates the routes that read one document: its actions and its effects. */
export function readRoutes(
  { database, types }: DocumentActionsRoutesOptions,
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
    .get(
      `${documentPath}/related`,
      api({
        operationId: 'getRelatedDocuments',
        tag,
        summary:
          'Lists the documents that derivations link to a document, as far as the caller may view them.',
        guards,
        responses: { 200: { description: 'The source and the derived documents', schema: RelatedDocuments } },
        errors: ['documents.not_found'],
      }),
      async (c) =>
        c.json(await database.read((db) => loadRelated(db, types, { ...of(c), id: c.req.param('id') }))),
    )
    .get(
      `${documentPath}/actions/:actionCode/who`,
      api({
        operationId: 'listRolesOfAction',
        tag,
        summary: 'Lists the active roles that could perform an action on a document.',
        guards,
        permission: 'system.roles.view',
        responses: { 200: { description: 'The roles, sorted by code', schema: ActionRoles } },
        errors: ['documents.not_found', 'document_action.not_found'],
      }),
      async (c) => {
        const { type, caller } = of(c)
        const roles = await database.read(async (db) => {
          await findVisible(db, { type, caller, id: c.req.param('id') })
          const { permission } = requireAction(type, c.req.param('actionCode'))
          return c.get('rolesHolding')(db, [type.viewPermission, permission])
        })
        return c.json({ roles })
      },
    )
}
