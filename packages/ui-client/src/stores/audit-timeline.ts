import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import { isSameTarget, type Session } from '../session/session.ts'
import type { Download } from '../wire/attachments.ts'
import type { AuditEvent } from '../wire/audit.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { createPagedList, type ListState } from './paged-list.ts'
import { openStore, outcome } from './store.ts'

/** The audit events of one object, newest first. */
export interface AuditTimelineStore {
  readonly $list: ReadableAtom<ListState<AuditEvent>>
  /** Loads the events. After this, the list reloads whenever another store of the session changes the object. */
  load(): Promise<void>
  loadMore(): Promise<void>
  /** Resolves with a short-lived URL of a file, even a deleted file, or with null if the store has ended. */
  download(attachmentId: string): Promise<Download | { readonly error: KitError } | null>
  dispose(): void
}

/** Number of events per page of the timeline. */
const pageSize = 50

/** Opens the store of an object's audit timeline. Events never change, so only requests for pages can conflict. */
export function auditTimelineStore(session: Session, target: BusinessObjectReference): AuditTimelineStore {
  const { audit, attachments } = session.client
  const { signal, dispose } = openStore(session, null)
  const list = createPagedList<AuditEvent>({
    signal,
    pageSize,
    fetchPage: (page) => audit.list({ target, ...page }),
  })
  session.listen((change) => {
    const isThis =
      change.kind === 'content'
        ? isSameTarget(change.target, target)
        : change.kind === 'document' && change.typeCode === target.typeCode && change.id === target.id
    if (isThis && list.$list.get().status !== 'idle') void list.load()
  }, signal)
  return {
    $list: list.$list,
    load: list.load,
    loadMore: list.loadMore,
    async download(attachmentId) {
      const result = await outcome(signal, attachments.auditDownload(attachmentId, { signal }))
      return result !== null && 'value' in result ? result.value : result
    },
    dispose,
  }
}
