import type { KitError } from '../client/kit-error.ts'
import { isTransient } from '../client/retry.ts'
import type { Session } from '../session/session.ts'
import type { AuditEvent } from '../wire/audit.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { accessStore } from './access.ts'
import { auditPermissions } from './audit-permissions.ts'
import { coalesced } from './coalesced.ts'
import type { ObjectChange } from './object-listeners.ts'
import { realtimeStore } from './realtime.ts'
import { openStore, outcome, type Store } from './store.ts'

/**
 * Whether other users have changed the object since the page has shown it. `event` is their newest event, or null if the user
 * may not read the audit timeline.
 */
export type LiveObjectState =
  /** `loading`: the newest event is not known yet. */
  | { readonly status: 'loading' | 'current' }
  | { readonly status: 'changed'; readonly event: AuditEvent | null }

/** Shows that other users have changed an object, until `show` is called. */
export interface LiveObjectStore extends Store<LiveObjectState> {
  /** Shows the change: all stores of the session reload the object. */
  show(): void
}

/** An own event does not hide an earlier one of another user. */
const searchedCount = 20

/** The hub repeats each report some seconds later, and not after this time. */
const repeatedMs = 10_000

/** A change of this age can be newer than the object on the page, which was loaded before this store. */
const recentMs = 60_000

/**
 * Opens the store that follows the changes of an object by other users. The user's own changes, also in another tab, only reload
 * counts and timelines, unless the user may not read the timeline: then, every change counts, and a report soon after `show` reloads
 * the object at once, because the hub repeats its reports. The store learns of a change
 * from the hub, and asks for the newest audit event. Counts and timelines of the session reload at once; the object itself
 * reloads with `show`, so that a page never changes while the user reads or edits it.
 */
export function liveObjectStore(session: Session, target: BusinessObjectReference): LiveObjectStore {
  const { $state, signal, set, dispose } = openStore<LiveObjectState>(session, { status: 'loading' })
  /** The newest event that the page has shown; undefined before the first answer. Ids sort by time. */
  let shownId: string | undefined
  let newestId = ''
  let reported: ObjectChange | undefined
  let reloadsUntilMs = 0
  /** The ids of recent events are larger (RFC 9562 §5.7). The time has 11 digits until the year 2527. */
  const recentId = `0${(Date.now() - recentMs).toString(16)}`.replace(/.{8}/, '$&-')

  const access = accessStore(session)
  const look = coalesced(async () => {
    await access.load()
    // Without permissions, nobody knows whether this is the first answer or a change.
    if (access.$state.get().status !== 'ready') return missed()
    // Do not ask for a timeline that the service would refuse.
    if (!auditPermissions(target).some(access.may)) return unnamed()
    const result = await outcome(signal, session.client.audit.list({ target, limit: searchedCount, signal }))
    if (result === null || 'error' in result) return missed(result?.error)
    const { items } = result.value
    const shown = shownId
    newestId = items[0]?.id ?? ''
    if (shown === undefined) {
      settle()
      // The page may show an older object.
      if (newestId > recentId) reload()
      return
    }
    if (newestId === shown) return
    session.announce({ kind: 'object', target })
    const userId = access.$state.get().access?.userId
    const event = items.find(({ id, actor }) => id > shown && actor?.userId !== userId)
    // Many own events may hide the one that the page names.
    if (event !== undefined) set({ status: 'changed', event })
    else if ($state.get().status !== 'changed') settle()
  })
  /**
   * After a failed first attempt, the user may already edit the object: its recent changes are shown, and not loaded. The hub
   * reports a change only for some seconds, so the store asks again, unless the service refuses: the object may be deleted.
   */
  const missed = (error?: KitError): void => {
    shownId ??= recentId
    if (isTransient(error)) setTimeout(look, repeatedMs)
  }
  const settle = () => {
    shownId = newestId
    set({ status: 'current' })
  }
  const reload = () => session.announce({ kind: 'document', typeCode: target.typeCode, id: target.id })
  /** Without the timeline, the page shows a change only if the hub has reported one. */
  const unnamed = () => {
    if (shownId === undefined) settle()
    else session.announce({ kind: 'object', target })
    // A repeated report can be about the change that is shown already.
    if (reported) Date.now() < reloadsUntilMs ? reload() : set({ status: 'changed', event: null })
    reported = undefined
  }
  realtimeStore(session).listenToObject(
    target,
    (change) => {
      reported ??= change
      void look()
    },
    signal,
  )
  void look()
  return {
    $state,
    dispose,
    show() {
      reloadsUntilMs = Date.now() + repeatedMs
      settle()
      reload()
    },
  }
}
