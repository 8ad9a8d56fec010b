import type { AuditSource, NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Attachment, AttachmentStatus } from './contract.ts'

/** The name events of this package are filed under. */
export const auditModule = 'attachments'

/** What an event tells of its attachment: never a storage key, never a URL. */
export type AuditedAttachment = Pick<Attachment, 'id' | 'target' | 'fileName' | 'contentType' | 'sizeBytes'>

/** `attachments.upload_requested`. */
export function uploadRequested(attachment: AuditedAttachment, actor: Actor): NewAuditEvent {
  return about(attachment, { actionCode: 'attachments.upload_requested', status: 'pending', actor })
}

/** `attachments.upload_completed`: offers the file from the timeline, also after the attachment was deleted. */
export function uploadCompleted(attachment: AuditedAttachment, actor: Actor): NewAuditEvent {
  return about(attachment, {
    actionCode: 'attachments.upload_completed',
    status: 'ready',
    actor,
    isDownloadable: true,
  })
}

/** `attachments.mark_for_deletion`: offers the file when there ever was one. */
export function markedForDeletion(
  attachment: AuditedAttachment & Pick<Attachment, 'completedAtUtc'>,
  actor: Actor,
): NewAuditEvent {
  return about(attachment, {
    actionCode: 'attachments.mark_for_deletion',
    status: 'deleted',
    actor,
    isDownloadable: attachment.completedAtUtc !== null,
  })
}

/** `attachments.upload_expired`: done by the service itself. */
export function uploadExpired(attachment: AuditedAttachment): NewAuditEvent {
  return about(attachment, { actionCode: 'attachments.upload_expired', status: 'deleted', actor: null })
}

/** What a timeline offers for download: said by the event itself, so older events offer nothing. */
export const downloadOf: NonNullable<AuditSource['downloadOf']> = ({ metadata }) => {
  const attachmentId = metadata?.['attachmentId']
  return metadata?.['downloadable'] === true && typeof attachmentId === 'string' ? { attachmentId } : null
}

interface AttachmentEvent {
  readonly actionCode: string
  /** After the event. */
  readonly status: AttachmentStatus
  readonly actor: Actor | null
  readonly isDownloadable?: boolean
}

function about(attachment: AuditedAttachment, event: AttachmentEvent): NewAuditEvent {
  const { id, target, fileName, contentType, sizeBytes } = attachment
  return {
    module: auditModule,
    target,
    actionCode: event.actionCode,
    actorUserId: event.actor?.userId ?? null,
    correlationId: event.actor?.correlationId ?? null,
    metadata: {
      attachmentId: id,
      fileName,
      contentType,
      sizeBytes,
      status: event.status,
      ...(event.isDownloadable === true ? { downloadable: true } : {}),
    },
  }
}
