import { type Bell, newId } from '@vertical-kit/core-audit'
import { type Caller, changeAs, requirePermission } from '@vertical-kit/core-audit/access'
import { targetOf } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import { api, type Guard, type KitEnv } from '@vertical-kit/core-audit/http'
import {
  type Authorize,
  authorizer,
  type ContentAccess,
  requireAuditAccess,
} from '@vertical-kit/core-audit/objects'
import { type Context, Hono } from 'hono'
import { completeUpload } from './commands/complete-upload.ts'
import { deleteAttachment } from './commands/delete-attachment.ts'
import { reserveUpload } from './commands/reserve-upload.ts'
import type { AttachmentsConfig } from './config.ts'
import type { AttachmentsContent } from './content.ts'
import {
  Attachment,
  AttachmentPage,
  CreateUploadBody,
  DeleteAttachmentQuery,
  Download,
  ListAttachmentsQuery,
  Upload,
} from './contract.ts'
import { AttachmentsError } from './errors.ts'
import { describeMultipart, partSizeFor } from './parts.ts'
import { partsRoutes } from './parts-routes.ts'
import {
  checkAuditDownload,
  checkDeletion,
  checkDownload,
  deletionPermissions,
  normalizeDeclaration,
} from './policy.ts'
import { type FoundAttachment, findAttachment } from './queries/find-attachment.ts'
import type { ObjectStorage } from './storage/object-storage.ts'

export interface AttachmentsRoutesOptions {
  readonly database: Database
  readonly access: ContentAccess
  readonly content: AttachmentsContent
  readonly config: AttachmentsConfig
  readonly guard: Guard
  /** Returns the object store. Throws feature.disabled while the feature is off. */
  readonly requireStorage: () => ObjectStorage
  /** Wakes the worker that scans completed uploads; `null` if they are not scanned. */
  readonly scanBell: Bell | null
}

const tag = 'Attachments'
const createBodyLimitBytes = 16 * 1024
const targetErrors = ['feature.disabled', 'business_object.unsupported', 'business_object.not_found'] as const
const ownErrors = ['feature.disabled', 'attachments.not_found'] as const

/** Creates the routes under `/api/attachments`. */
export function attachmentsRoutes(options: AttachmentsRoutesOptions): Hono<KitEnv> {
  const { database, access, content, config, requireStorage, scanBell } = options
  const guards = [options.guard]

  /** Returns the attachment with this id. Rejects if the caller is not allowed to read its target. */
  const requireVisible = (caller: Caller, id: string): Promise<FoundAttachment> =>
    database.read(async (db) => access.requireVisible(db, caller, await findAttachment(db, config, id)))

  /** Returns the upload with this id, if the caller is its author. */
  const requireOwnUpload = async (caller: Caller, id: string): Promise<FoundAttachment> => {
    const upload = await requireVisible(caller, id)
    if (upload.createdByUserId !== caller.userId) throw new AttachmentsError('attachments.not_found')
    return upload
  }

  /** Returns the access check for the locked row. It repeats the first check, because the status may have changed. */
  const authorizingDeletion = (c: Context<KitEnv>): Authorize<Attachment> =>
    authorizer(c, async (tx, caller, attachment) => {
      await access.requireVisibleTarget(tx, requirePermission(caller, deletionPermissions), attachment.target)
      checkDeletion(caller, attachment)
    })

  return new Hono<KitEnv>()
    .get(
      '/api/attachments',
      api({
        operationId: 'listAttachments',
        tag,
        summary: 'Lists the ready attachments of one business object, newest first.',
        guards,
        permission: 'system.attachments.read',
        query: ListAttachmentsQuery,
        responses: { 200: { description: 'One page', schema: AttachmentPage } },
        errors: targetErrors,
      }),
      async (c) => {
        const query = c.req.valid('query')
        const target = targetOf(query)
        const as = c.get('caller')
        const page = { as, target, limit: query.limit, cursor: query.cursor ?? null }
        return c.json(await database.read((db) => content.list(db, page), as.since))
      },
    )
    .post(
      '/api/attachments/uploads',
      api({
        operationId: 'createUpload',
        tag,
        summary:
          'Reserves an upload and returns the request that uploads its bytes, or the size of its parts.',
        guards,
        permission: 'system.attachments.create',
        body: CreateUploadBody,
        bodyLimitBytes: createBodyLimitBytes,
        responses: { 201: { description: 'The pending attachment and its upload request', schema: Upload } },
        errors: [
          ...targetErrors,
          'attachments.file_name_invalid',
          'attachments.content_type_invalid',
          'attachments.file_too_large',
          'attachments.count_limit_exceeded',
        ],
      }),
      async (c) => {
        const { target, sha256 = null, multipart = false, ...raw } = c.req.valid('json')
        const declaration = normalizeDeclaration(raw, config)
        const needed = { permission: 'system.attachments.create', target }
        await database.read((db) => access.requireTarget(db, c.get('caller'), needed))
        const id = database.newId()
        const { contentType, sizeBytes } = declaration
        // Stores that execute unsigned headers would let an empty part be a copy of another object, as no length prevents it.
        const sending =
          multipart && sizeBytes > 0
            ? { partSizeBytes: partSizeFor(sizeBytes) }
            : { partSizeBytes: null, put: await requireStorage().signPut({ id, sha256, contentType }) }
        const { partSizeBytes } = sending
        const attachment = await changeAs(database, c.var, async (tx, actor) => {
          const reservation = { ...declaration, id, target, actor, sha256, partSizeBytes }
          const reserved = await reserveUpload(tx, config, reservation)
          // The reservation can wait for its locks, and a right can be revoked in the meantime.
          await access.requireTarget(tx, await c.get('callerNow')(tx), needed)
          return reserved
        })
        const upload: Upload['upload'] =
          sending.partSizeBytes === null
            ? { method: 'PUT', ...sending.put }
            : describeMultipart(attachment, sending, config)
        return c.json({ attachment, upload } satisfies Upload, 201)
      },
    )
    .route('/', partsRoutes({ database, config, guards, requireStorage, requireOwnUpload }))
    .post(
      '/api/attachments/:id/complete',
      api({
        operationId: 'completeUpload',
        tag,
        summary: 'Verifies an upload and makes it downloadable. Repeating the request is safe.',
        description:
          'Only the author of an upload can complete it. If files are scanned for malware, the attachment is `scanning` first: ' +
          'repeat the request until it is `ready`.',
        guards,
        permission: 'system.attachments.create',
        responses: { 200: { description: 'The completed attachment', schema: Attachment } },
        errors: [
          ...ownErrors,
          'attachments.deleted',
          'attachments.quarantined',
          'attachments.upload_expired',
          'attachments.upload_missing',
          'attachments.size_mismatch',
          'attachments.content_type_mismatch',
          'attachments.upload_changed',
          'attachments.storage_unavailable',
        ],
      }),
      async (c) => {
        const { id } = await requireOwnUpload(c.get('caller'), c.req.param('id'))
        const actor = await c.get('actor')()
        const services = { database, storage: requireStorage(), config, isScanned: scanBell !== null }
        const { signal } = c.req.raw
        const authorize = access.authorizing(c.get('callerNow'), 'system.attachments.create')
        const completed = await completeUpload(services, {
          id,
          actor,
          authorize,
          sealLeaseId: newId(),
          signal,
        })
        if (completed.status === 'scanning') scanBell?.ring()
        return c.json(completed)
      },
    )
    .post(
      '/api/attachments/:id/download',
      api({
        operationId: 'createDownload',
        tag,
        summary: 'Returns a short-lived URL of a ready attachment.',
        guards,
        permission: 'system.attachments.read',
        responses: { 200: { description: 'The URL of the bytes', schema: Download } },
        errors: [...ownErrors, 'attachments.not_ready', 'attachments.quarantined', 'attachments.deleted'],
      }),
      async (c) => {
        const attachment = await requireVisible(c.get('caller'), c.req.param('id'))
        checkDownload(attachment)
        return c.json(await requireStorage().signGet(attachment))
      },
    )
    .post(
      '/api/attachments/:id/audit-download',
      api({
        operationId: 'createAuditDownload',
        tag,
        summary: 'Returns a short-lived URL of a completed attachment, even if it is deleted.',
        description: 'Also requires audit access to the business object.',
        guards,
        permission: 'system.attachments.read',
        responses: { 200: { description: 'The URL of the bytes', schema: Download } },
        errors: [...ownErrors, 'permission.denied', 'attachments.not_ready', 'attachments.quarantined'],
      }),
      async (c) => {
        const attachment = await requireVisible(c.get('caller'), c.req.param('id'))
        requireAuditAccess(c.get('caller'), attachment.target)
        checkAuditDownload(attachment)
        return c.json(await requireStorage().signGet(attachment))
      },
    )
    .delete(
      '/api/attachments/:id',
      api({
        operationId: 'deleteAttachment',
        tag,
        summary: 'Marks an attachment for deletion. The store keeps its bytes.',
        description:
          'The author of an upload can cancel it with `system.attachments.create` until it is ready. ' +
          'Every other deletion requires `system.attachments.delete`. With `unlessReady=true`, a ready file stays as it is: a ' +
          'client that does not know the outcome of a completion can release an upload without the risk to delete a file.',
        guards,
        permission: deletionPermissions,
        query: DeleteAttachmentQuery,
        responses: { 204: { description: 'The attachment is deleted, or ready and left as it is' } },
        errors: ownErrors,
      }),
      async (c) => {
        const caller = c.get('caller')
        const attachment = await requireVisible(caller, c.req.param('id'))
        const { unlessReady } = c.req.valid('query')
        if (unlessReady && attachment.completedAtUtc !== null) return c.body(null, 204)
        checkDeletion(caller, attachment)
        const { id } = attachment
        const authorize = authorizingDeletion(c)
        await changeAs(database, c.var, (tx, actor) =>
          deleteAttachment(tx, config, { id, actor, authorize, unlessReady }),
        )
        return c.body(null, 204)
      },
    )
}
