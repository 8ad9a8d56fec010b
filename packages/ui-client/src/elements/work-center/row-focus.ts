import type { LitElement, ReactiveController } from 'lit'
import type { Session } from '../../session/session.ts'

/** The place of a row: its id, and its index in case the row has left the list. */
interface Place {
  readonly id: string
  readonly index: number
}

/** The focus of the rows of a list. */
export interface RowFocus {
  /** The row with the focus, or the row that contains it; null for none. */
  current(): HTMLElement | null
  /** Returns the ids of the rows between two rows, in display order. Without the first one, returns only the other. */
  between(from: string | null, to: string): readonly string[]
  /** Moves the focus to the next or the previous row, or into the list: to its last focused row, or to its first one. */
  move(step: 1 | -1): HTMLElement | null
  /** Returns to the current row when the list is shown again in this session, for example after *Back*. */
  remember(session: Session): void
  /** When the element shows its first rows: moves the focus to the remembered row, unless the focus is elsewhere on the page. */
  restore(session: Session): void
}

const remembered = new WeakMap<Session, Place>()

/**
 * Follows the focus of the rows of an element. If the row with the focus leaves the list, moves the focus to the next row.
 * Otherwise the browser would reset the focus.
 */
export function followRows(element: LitElement): RowFocus {
  /** The place of the row that had the focus before the rendering. */
  let before: Place | null = null
  let last: Place | null = null
  let isFirstList = true

  const rows = () => [...element.renderRoot.querySelectorAll<HTMLElement>('li[data-id]')]
  const current = () => element.shadowRoot?.activeElement?.closest<HTMLElement>('li[data-id]') ?? null
  const placeOf = (row: HTMLElement | null): Place | null =>
    row === null ? null : { id: row.dataset['id'] ?? '', index: rows().indexOf(row) }
  const rowAt = ({ id, index }: Place) => {
    const all = rows()
    return all.find((row) => row.dataset['id'] === id) ?? all[index] ?? all.at(-1) ?? null
  }

  const controller: ReactiveController = {
    hostUpdate() {
      before = element.hasUpdated ? placeOf(current()) : null
      last = before ?? last
    },
    hostUpdated() {
      if (before === null || element.shadowRoot?.activeElement !== null) return
      ;(rowAt(before) ?? element.renderRoot.querySelector<HTMLElement>('#panel'))?.focus()
    },
  }
  element.addController(controller)

  return {
    current,
    between(from, to) {
      const ids = rows().map((row) => row.dataset['id'] ?? '')
      const [start, end] = [ids.indexOf(from ?? ''), ids.indexOf(to)]
      return start < 0 ? [to] : ids.slice(Math.min(start, end), Math.max(start, end) + 1)
    },
    move(step) {
      const row = current()
      const all = rows()
      const next = row === null ? (last === null ? all[0] : rowAt(last)) : all[all.indexOf(row) + step]
      next?.focus()
      last = placeOf(next ?? null) ?? last
      return next ?? null
    },
    remember(session) {
      const place = placeOf(current())
      if (place !== null) remembered.set(session, place)
    },
    restore(session) {
      if (!isFirstList || rows().length === 0) return
      isFirstList = false
      const place = remembered.get(session)
      remembered.delete(session)
      if (place === undefined) return
      // The page has moved the focus to the view that contains this element, or the browser has reset it.
      const { activeElement } = document
      if (activeElement === null || activeElement.contains(element)) rowAt(place)?.focus()
    },
  }
}
