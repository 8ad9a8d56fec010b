import { randomUUID } from 'node:crypto'
import { attach, put } from '../uploads.ts'
import { type Caller, type Check, holdsRight, permitted, seen } from './callers.ts'
import type { Endpoint } from './endpoints.ts'

/** Returns the author of an upload: the caller, or the clerk if the caller has no right to reserve uploads. */
const ownAuthor = (caller: Caller): Caller => (holdsRight(caller, 'create attachments') ? caller : 'clerk')
const otherAuthor = (caller: Caller): Caller => (caller === 'clerk' ? 'clerk2' : 'clerk')

const cancelled: readonly Check[] = [
  permitted('create attachments'),
  seen('view invoices', 'attachments.not_found'),
]
const deleted: readonly Check[] = [...cancelled, permitted('delete attachments')]

/** The endpoints that identify an attachment by its id. */
export const attachmentEndpoints: readonly Endpoint[] = [
  {
    operation: 'POST /api/attachments/{id}/complete',
    checks: [permitted('create attachments'), seen('view invoices', 'attachments.not_found')],
    success: 200,
    async call(world, caller) {
      const { attachment, upload } = await world.reserve(ownAuthor(caller))
      await put(upload, world.file.bytes)
      return { path: `/api/attachments/${attachment.id}/complete` }
    },
  },
  {
    operation: 'POST /api/attachments/{id}/complete',
    situation: 'for an upload of another user',
    // Every caller, including administrators, receives the error for a hidden target.
    checks: [permitted('create attachments'), seen('nothing', 'attachments.not_found')],
    success: 200,
    async call(world, caller) {
      const { attachment, upload } = await world.reserve(otherAuthor(caller))
      await put(upload, world.file.bytes)
      return { path: `/api/attachments/${attachment.id}/complete` }
    },
  },
  {
    operation: 'POST /api/attachments/{id}/download',
    checks: [permitted('read attachments'), seen('view invoices', 'attachments.not_found')],
    success: 200,
    call: (world) => ({ path: `/api/attachments/${world.attachment.id}/download` }),
  },
  {
    operation: 'POST /api/attachments/{id}/audit-download',
    checks: [
      permitted('read attachments'),
      seen('view invoices', 'attachments.not_found'),
      permitted('view audit'),
    ],
    success: 200,
    call: (world) => ({ path: `/api/attachments/${world.attachment.id}/audit-download` }),
  },
  {
    operation: 'DELETE /api/attachments/{id}',
    situation: 'for an upload of another user',
    checks: deleted,
    success: 204,
    call: async (world, caller) => ({
      path: `/api/attachments/${(await world.reserve(otherAuthor(caller))).attachment.id}`,
    }),
  },
  {
    operation: 'DELETE /api/attachments/{id}',
    situation: "for the caller's own upload",
    checks: cancelled,
    success: 204,
    call: async (world, caller) => ({
      path: `/api/attachments/${(await world.reserve(ownAuthor(caller))).attachment.id}`,
    }),
  },
  {
    operation: 'DELETE /api/attachments/{id}',
    situation: "for the caller's own ready file",
    checks: deleted,
    success: 204,
    async call(world, caller) {
      const { id } = await attach(world.as(ownAuthor(caller)), world.invoice, world.file)
      return { path: `/api/attachments/${id}` }
    },
  },
  {
    operation: 'DELETE /api/attachments/{id}',
    situation: 'for an unknown id',
    checks: [permitted('create attachments'), seen('nothing', 'attachments.not_found')],
    success: 204,
    call: () => ({ path: `/api/attachments/${randomUUID()}` }),
  },
]
