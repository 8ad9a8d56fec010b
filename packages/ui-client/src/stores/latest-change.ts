import type { DocumentReference } from '../client/documents.ts'
import type { Session } from '../session/session.ts'
import type { AuditEvent } from '../wire/audit.ts'
import { accessStore } from './access.ts'
import { auditPermissions } from './audit-permissions.ts'
import { outcome } from './store.ts'

/** Notes and files do not change the version of their document. Twenty events are enough to look behind some of them. */
const searchedCount = 20

/**
 * Resolves with the newest event that changed a document itself. Resolves with null if the user may not read the timeline,
 * or if the request fails, because the name is only a help.
 */
export async function latestChange(
  session: Session,
  document: DocumentReference,
  signal: AbortSignal,
): Promise<AuditEvent | null> {
  const kind = document.typeCode === 'general_journal_entry' ? 'GeneralJournalEntry' : 'Document'
  const target = { kind, ...document } as const
  const access = accessStore(session)
  await access.load()
  if (signal.aborted || !auditPermissions(target).some(access.may)) return null
  const result = await outcome(signal, session.client.audit.list({ target, limit: searchedCount, signal }))
  if (result === null || 'error' in result) return null
  return result.value.items.find(({ actionCode }) => !/^(notes|attachments)\./.test(actionCode)) ?? null
}
