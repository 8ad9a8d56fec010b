import type { AuditSource, NewAuditEvent } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Attachment, AttachmentStatus } from './contract.ts'

/** The module name in the audit events of this package. */
export const auditModule = 'attachments'

/** The attachment fields that an audit event contains. An event never contains a storage key or a URL. */
export type AuditedAttachment = Pick<Attachment, 'id' | 'target' | 'fileName' | 'contentType' | 'sizeBytes'>

/** Returns the audit event `attachments.upload_requested`. */
export function uploadRequested(attachment: AuditedAttachment, actor: Actor): NewAuditEvent {
  return about(attachment, { actionCode: 'attachments.upload_requested', status: 'pending', actor })
}

/** Returns the audit event `attachments.scan_requested`: the upload is complete, and its file waits for a scan. */
export function scanRequested(attachment: AuditedAttachment, actor: Actor): NewAuditEvent {
  return about(attachment, { actionCode: 'attachments.scan_requested', status: 'scanning', actor })
}

const maxFindingChars = 200

/** A scanner of the application can name its finding in any way. PostgreSQL stores neither U+0000 nor half a character. */
const storable = (finding: string): string =>
  finding
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, maxFindingChars)
    .toWellFormed()

/** Returns the audit event `attachments.quarantined`. It names the malware and has no actor. */
export function quarantined(attachment: AuditedAttachment, finding: string): NewAuditEvent {
  return about(attachment, {
    actionCode: 'attachments.quarantined',
    status: 'quarantined',
    actor: null,
    finding: storable(finding),
  })
}

/** Returns the audit event `attachments.upload_completed`. The timeline offers the file even after a deletion. */
export function uploadCompleted(attachment: AuditedAttachment, actor: Author): NewAuditEvent {
  return about(attachment, {
    actionCode: 'attachments.upload_completed',
    status: 'ready',
    actor,
    isDownloadable: true,
  })
}

/** Returns the audit event `attachments.mark_for_deletion`. The timeline offers the file if the upload was completed. */
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

/** Returns the audit event `attachments.upload_expired`. The event has no actor, because the service expires uploads. */
export function uploadExpired(attachment: AuditedAttachment): NewAuditEvent {
  return about(attachment, { actionCode: 'attachments.upload_expired', status: 'deleted', actor: null })
}

/** Returns the download that a timeline offers for an event, or `null` for events without the `downloadable` flag. */
export const downloadOf: NonNullable<AuditSource['downloadOf']> = ({ metadata }) => {
  const attachmentId = metadata?.['attachmentId']
  return metadata?.['downloadable'] === true && typeof attachmentId === 'string' ? { attachmentId } : null
}

/** The user of an event, and the request in which it happened, if any. */
type Author = Pick<Actor, 'userId'> & { readonly correlationId: string | null }

interface AttachmentEvent {
  readonly actionCode: string
  /** The status of the attachment after the event. */
  readonly status: AttachmentStatus
  readonly actor: Author | null
  readonly isDownloadable?: boolean
  readonly finding?: string
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
      ...(event.finding === undefined ? {} : { finding: event.finding }),
    },
  }
}
