import { Id } from '@vertical-kit/core-audit/contract'
import type { PolicyEvent } from '@vertical-kit/work-center'
import * as v from 'valibot'

/** What the vertical's policies take of `document.action.completed`. How the document is now, they ask. */
export const ActionCompletedData = v.object({
  documentType: v.string(),
  documentId: Id,
  actionCode: v.string(),
})

/** The event. Its `causationId` is the execution, by which the books know what it wrote. */
export type ActionCompleted = PolicyEvent<v.InferOutput<typeof ActionCompletedData>>
