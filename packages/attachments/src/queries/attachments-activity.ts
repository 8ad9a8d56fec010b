import { CoreError } from '@vertical-kit/core-audit'
import { requirePermission } from '@vertical-kit/core-audit/access'
import type { ActivitySource } from '@vertical-kit/core-audit/objects'
import { type AttachmentRow, toAttachment } from './attachment-row.ts'
import { selectNewestAttachments } from './list-attachments.ts'

/**
 * The ready files in the activity of an object, at the time when their upload began. So a file that becomes ready between two pages
 * can appear on the second one.
 */
export const attachmentsActivity = ({ isEnabled }: { readonly isEnabled: boolean }): ActivitySource => ({
  type: 'file',
  requireAccess(caller) {
    if (!isEnabled) throw new CoreError('feature.disabled')
    requirePermission(caller, 'system.attachments.read')
  },
  select: selectNewestAttachments,
  toContent(row: AttachmentRow) {
    const attachment = toAttachment(row)
    const { id, createdAtUtc, createdByUserId, createdByDisplayName } = attachment
    return {
      ...{ id, occurredAtUtc: createdAtUtc, content: { attachment } },
      actor: { userId: createdByUserId, displayName: createdByDisplayName, email: null },
    }
  },
})
