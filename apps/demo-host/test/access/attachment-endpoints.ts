import { randomUUID } from 'node:crypto'
import { type Body, expectAnswer } from '../answers.ts'
import { attach, put } from '../uploads.ts'
import { type Caller, type Check, holdsRight, permitted, seen } from './callers.ts'
import type { Endpoint } from './endpoints.ts'
import type { World } from './world.ts'

/** Returns the author of an upload: the caller, or the clerk if the caller has no right to reserve uploads. */
const ownAuthor = (caller: Caller): Caller => (holdsRight(caller, 'create attachments') ? caller : 'clerk')
const otherAuthor = (caller: Caller): Caller => (caller === 'clerk' ? 'clerk2' : 'clerk')

const cancelled: readonly Check[] = [
  permitted('create attachments'),
  seen('view invoices', 'attachments.not_found'),
]
const deleted: readonly Check[] = [...cancelled, permitted('delete attachments')]

/** Reserves an upload in parts for the author, and returns the path of its parts. */
async function pathOfParts(world: World, author: Caller): Promise<string> {
  const body = { target: world.invoice, fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 }
  const reserving = world.as(author)('POST', '/api/attachments/uploads', {
    body: { ...body, multipart: true },
  })
  const { attachment } = await expectAnswer(reserving, 201)
  return `/api/attachments/${(attachment as Body).id}/parts`
}

/** Both endpoints of the parts of an upload, for its author and for other users, who receive the error for a hidden target. */
const partsEndpoints = (['GET', 'POST'] as const).flatMap((method): Endpoint[] => {
  const operation = `${method} /api/attachments/{id}/parts`
  const request = method === 'POST' ? { body: { partNumbers: [1] } } : {}
  return [
    {
      operation,
      checks: [permitted('create attachments'), seen('view invoices', 'attachments.not_found')],
      success: 200,
      call: async (world, caller) => ({ path: await pathOfParts(world, ownAuthor(caller)), ...request }),
    },
    {
      operation,
      situation: 'for an upload of another user',
      checks: [permitted('create attachments'), seen('nothing', 'attachments.not_found')],
      success: 200,
      call: async (world, caller) => ({ path: await pathOfParts(world, otherAuthor(caller)), ...request }),
    },
  ]
})

/** The endpoints that identify an attachment by its id. */
export const attachmentEndpoints: readonly Endpoint[] = [
  ...partsEndpoints,
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
