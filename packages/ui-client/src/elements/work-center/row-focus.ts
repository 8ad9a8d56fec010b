import type { LitElement, ReactiveController } from 'lit'
import type { Session } from '../../session/session.ts'
import type { ListState } from '../../stores/paged-list.ts'
import { focusOn } from '../parts/focus.ts'

/** The place of a row: its id, and its index in case the row has left the list. */
interface Place {
  readonly id: string
  readonly index: number
}

/** The place of the first row. */
const first: Place = { id: '', index: 0 }

/** The element with the rows. */
interface RowsHost extends LitElement {
  readonly session: Session | undefined
}

/** The list of an element that returns to its rows. */
interface ReturnedList {
  readonly list: ListState<unknown>
  loadMore(): void
}

/** The focus of the rows of a list. */
export interface RowFocus {
  /** The row with the focus, or the row that contains it; null for none. */
  current(): HTMLElement | null
  of(id: string): HTMLElement | undefined
  /** Returns the ids of the rows between two rows, in display order. Without the first one, returns only the other. */
  between(from: string | null, to: string): readonly string[]
  /** Moves the focus to the next or the previous row, or into the list: to its last focused row, or to its first one. */
  move(step: 1 | -1): HTMLElement | null
  /**
   * Asks with a dialog of the element, and resolves with the answer. If the row with the focus leaves the list behind the dialog,
   * moves the focus to the next row.
   */
  asking<D extends Element, T>(tag: string, ask: (dialog: D) => Promise<T>): Promise<T>
  /** Returns to the current row when the list is shown again in this session, for example after *Back*. */
  remember(): void
}

const remembered = new WeakMap<Session, Place>()

/**
 * Follows the focus of the rows of an element. If the row with the focus leaves the list, moves the focus to the next row.
 * Otherwise the browser would reset the focus.
 * With `returnTo`, moves the focus to the remembered row when the element shows its first rows, unless the focus is elsewhere.
 */
export function followRows(element: RowsHost, returnTo?: () => ReturnedList | null): RowFocus {
  /** The place of the row that had the focus before the rendering. */
  let before: Place | null = null
  let last = first
  /** The first place, if the user has pressed a key for a row before the first list has loaded. */
  let early: Place | undefined
  let isFirstList = true

  const rows = () => [...element.renderRoot.querySelectorAll<HTMLElement>('li[data-id]')]
  const current = () => element.shadowRoot?.activeElement?.closest<HTMLElement>('li[data-id]') ?? null
  const placeOf = (row: HTMLElement | null): Place | null =>
    row && { id: row.dataset['id'] ?? '', index: rows().indexOf(row) }
  const rowOf = (id: string) => rows().find((row) => row.dataset['id'] === id)
  const rowAt = ({ id, index }: Place) => {
    const all = rows()
    return rowOf(id) ?? all[index] ?? all.at(-1)
  }
  const land = (place: Place) => {
    const around = element.renderRoot.querySelectorAll<HTMLElement>('section, #panel')
    const next = rowAt(place) ?? [...around].at(-1)
    if (next !== undefined) focusOn(next)
  }

  /** Moves the focus to the remembered row. First loads the pages up to that row. */
  const restore = ({ list, loadMore }: ReturnedList, count: number) => {
    const { session } = element
    const place = (session && remembered.get(session)) ?? early
    // The page has moved the focus to the view that contains this element, or the browser has reset it.
    if (place !== undefined && document.activeElement?.contains(element)) {
      if (list.hasMore && count <= place.index && rowOf(place.id) === undefined) {
        if (list.status === 'ready') loadMore()
        return
      }
      rowAt(place)?.focus()
    }
    isFirstList = false
    if (session !== undefined) remembered.delete(session)
  }

  const controller: ReactiveController = {
    hostUpdate() {
      before = placeOf(current())
      last = before ?? last
    },
    hostUpdated() {
      const count = rows().length
      const returned = returnTo?.()
      if (count === 0) {
        last = first
        // A row that arrives in an empty list leaves the focus where it is.
        if (returned?.list.status === 'ready') isFirstList = false
      }
      if (element.shadowRoot?.activeElement !== null) return
      if (before !== null) land(before)
      else if (returned && isFirstList && count > 0) restore(returned, count)
    },
  }
  element.addController(controller)

  return {
    current,
    of: rowOf,
    between(from, to) {
      const ids = rows().map((row) => row.dataset['id'] ?? '')
      const [start, end] = [ids.indexOf(from ?? ''), ids.indexOf(to)]
      return start < 0 ? [to] : ids.slice(Math.min(start, end), Math.max(start, end) + 1)
    },
    move(step) {
      const row = current()
      const all = rows()
      if (all.length === 0) early = first
      const next = row === null ? rowAt(last) : all[all.indexOf(row) + step]
      next?.focus()
      last = placeOf(next ?? null) ?? last
      return next ?? null
    },
    async asking<D extends Element, T>(tag: string, ask: (dialog: D) => Promise<T>) {
      last = placeOf(current()) ?? last
      const hadFocus = element.shadowRoot?.activeElement
      // The dialog is always in the page while there are rows.
      const answer = await ask(element.renderRoot.querySelector(tag) as D)
      // A dialog cannot return the focus to an element that the list no longer contains.
      if (hadFocus && document.activeElement === document.body) land(last)
      return answer
    },
    remember() {
      const place = placeOf(current())
      if (element.session !== undefined && place !== null) remembered.set(element.session, place)
    },
  }
}
