import type { Caller } from '@vertical-kit/core-audit/access'
import type { Database } from '@vertical-kit/core-audit/database'
import { api, type Guard, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { startParts } from './commands/start-parts.ts'
import type { AttachmentsConfig } from './config.ts'
import { PresignedParts, SignPartsBody, type UploadedPart, UploadedParts } from './contract.ts'
import { describeMultipart, type Multipart, namedParts, partSizes, requireMultipart } from './parts.ts'
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
        const items = await storedParts(requireStorage(), upload, multipart)
        return c.json({ partSizeBytes, partCount, expiresAtUtc, items: [...items] } satisfies UploadedParts)
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
        const parts = namedParts(partNumbers, { ...upload, ...multipart })
        const storage = requireStorage()
        const { id } = upload
        const uploadId = multipart.uploadId ?? (await startParts({ database, storage }, upload))
        const signed = parts.map(async (part) => ({
          partNumber: part.partNumber,
          method: 'PUT' as const,
          ...(await storage.signPart({ id, uploadId, ...part })),
        }))
        return c.json({ items: await Promise.all(signed) } satisfies PresignedParts)
      },
    )
}

/** Returns the parts that the store has. If a completion has joined them but was not committed, these are all parts. */
async function storedParts(
  storage: ObjectStorage,
  { id, sizeBytes }: FoundAttachment,
  { uploadId, partSizeBytes }: Multipart,
): Promise<readonly UploadedPart[]> {
  if (uploadId === null) return []
  const stored = await storage.listParts({ id, uploadId })
  if (stored !== null)
    return stored.map((part) => ({ partNumber: part.partNumber, sizeBytes: part.sizeBytes }))
  if ((await storage.headJoined(id)) === null) return []
  return partSizes({ sizeBytes, partSizeBytes }).map((partBytes, index) => ({
    partNumber: index + 1,
    sizeBytes: partBytes,
  }))
}
