import type { Caller } from '@vertical-kit/core-audit/access'
import type { Database } from '@vertical-kit/core-audit/database'
import { api, type Guard, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { startParts } from './commands/start-parts.ts'
import type { AttachmentsConfig } from './config.ts'
import { PresignedParts, SignPartsBody, UploadedParts } from './contract.ts'
import { checkPartNumbers, describeMultipart, requireMultipart } from './parts.ts'
import type { FoundAttachment } from './queries/find-attachment.ts'
import type { ObjectStorage } from './storage/object-storage.ts'

export interface PartsRoutesOptions {
  readonly database: Database
  readonly config: AttachmentsConfig
  readonly guards: readonly Guard[]
  readonly requireStorage: () => ObjectStorage
  /** Returns the upload with this id. Rejects if the caller is not its author, or is not allowed to read its target. */
  readonly requireOwnUpload: (caller: Caller, id: string) => Promise<FoundAttachment>
}

const tag = 'Attachments'
const errors = [
  'feature.disabled',
  'attachments.not_found',
  'attachments.deleted',
  'attachments.quarantined',
  'attachments.upload_expired',
  'attachments.no_multipart_upload',
  'attachments.storage_unavailable',
] as const

/** Creates the routes under `/api/attachments/{id}/parts`. */
export function partsRoutes(options: PartsRoutesOptions): Hono<KitEnv> {
  const { database, config, guards, requireStorage, requireOwnUpload } = options
  return new Hono<KitEnv>()
    .get(
      '/api/attachments/:id/parts',
      api({
        operationId: 'listUploadedParts',
        tag,
        summary: 'Lists the parts of an upload that the store has.',
        description:
          'Only the author of an upload can list its parts. An interrupted upload continues with the others.',
        guards,
        permission: 'system.attachments.create',
        responses: {
          200: { description: 'The parts, in the order of their numbers', schema: UploadedParts },
        },
        errors,
      }),
      async (c) => {
        const upload = await requireOwnUpload(c.get('caller'), c.req.param('id'))
        const multipart = requireMultipart(upload)
        const { partSizeBytes, partCount, expiresAtUtc } = describeMultipart(upload, multipart, config)
        const { uploadId } = multipart
        const found = uploadId === null ? null : await requireStorage().listParts({ id: upload.id, uploadId })
        const items = (found ?? []).map(({ partNumber, sizeBytes }) => ({ partNumber, sizeBytes }))
        return c.json({ partSizeBytes, partCount, expiresAtUtc, items })
      },
    )
    .post(
      '/api/attachments/:id/parts',
      api({
        operationId: 'signUploadParts',
        tag,
        summary:
          'Returns the requests that upload parts of a file. A part can be sent again until the upload is completed.',
        description: 'Only the author of an upload can send its parts.',
        guards,
        permission: 'system.attachments.create',
        body: SignPartsBody,
        responses: { 200: { description: 'One request for each part', schema: PresignedParts } },
        errors,
      }),
      async (c) => {
        const { partNumbers } = c.req.valid('json')
        const upload = await requireOwnUpload(c.get('caller'), c.req.param('id'))
        const multipart = requireMultipart(upload)
        checkPartNumbers(partNumbers, describeMultipart(upload, multipart, config).partCount)
        const storage = requireStorage()
        const { id } = upload
        const uploadId = multipart.uploadId ?? (await startParts({ database, storage }, upload))
        const signed = partNumbers.map(async (partNumber) => ({
          partNumber,
          method: 'PUT' as const,
          ...(await storage.signPart({ id, uploadId, partNumber })),
        }))
        return c.json({ items: await Promise.all(signed) })
      },
    )
}
