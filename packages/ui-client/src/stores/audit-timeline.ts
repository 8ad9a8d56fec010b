import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../client/kit-error.ts'
import { isSameTarget, type Session } from '../session/session.ts'
import type { Download } from '../wire/attachments.ts'
import type { AuditEvent } from '../wire/audit.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { createPagedList, type ListState } from './paged-list.ts'
import { openStore, outcome } from './store.ts'

/** What happened to one object, newest first. */
export interface AuditTimelineStore {
  readonly $list: ReadableAtom<ListState<AuditEvent>>
  /** Asks for the events. They follow what the session's other stores change by themselves. */
  load(): Promise<void>
  loadMore(): Promise<void>
  /** Where the file of an event is, for a short time; deleted ones too. Null when the store has ended meanwhile. */
  download(attachmentId: string): Promise<Download | { readonly error: KitError } | null>
  dispose(): void
}

/** How many events a page of the timeline holds. */
const pageSize = 50

/** The audit timeline of an object. Nobody changes it, so there are no races but those of paging. */
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
