import { atom, type ReadableAtom } from 'nanostores'
import {
  type AdministrationSection,
  administrationSections,
  type PageList,
  pageLists,
} from '../src/page/page-routes.ts'
import { signedInPath } from '../src/page/signed-in-path.ts'

/** The view that belongs to a URL of the page. */
export type Route =
  | {
      readonly view: 'home' | 'signed-in' | 'work-center' | 'team' | 'preferences' | 'audit-log' | 'not-found'
    }
  | { readonly view: 'list'; readonly list: PageList }
  | { readonly view: 'administration'; readonly section: AdministrationSection }
  /** `id` is null for a new entry that is not saved yet. */
  | { readonly view: 'entry'; readonly list: PageList; readonly id: string | null }

/** Returns whether the user would lose changes: by another view on this page, or by an end of the page or of the session. */
export type WouldLose = (end: 'view' | 'page') => boolean

/** The routing of the page. It uses the browser history, so links do not reload the page. */
export interface Router {
  readonly $route: ReadableAtom<Route>
  /** The query of the URL, for example `?status=Draft`. A change of only the query keeps the route and the scroll position. */
  readonly $search: ReadableAtom<string>
  /** Navigates to a path. With `replaces`, replaces the current history entry. */
  go(path: string, options?: { readonly replaces?: boolean }): void
  /** Navigates to a path that the user has chosen. Asks for confirmation if unsaved changes would be lost. */
  follow(path: string): void
  /** The place no longer exists, for example that of a deleted entry: Back skips it, and Forward leads to `path` instead. */
  forget(pathname: string, path: string): void
  /** Returns the current path, so that the page can return to it later. */
  path(): string
  /** While `wouldLose` returns true for an end of the view, it requires the user's confirmation. Null removes the guard. */
  guard(wouldLose: WouldLose | null): void
  /** Returns whether an end of the view would lose changes. */
  wouldLose: WouldLose
  /** Adds a place to the history for a drawer over the view. When the user goes back or follows a link, calls `close`. */
  openOverlay(close: () => void): void
  /** The user has closed the drawer. Its place remains until the next one takes it, and Back skips it. */
  closeOverlay(): void
}

/** Creates a router that follows the address bar and the links of the page. */
export function createRouter(): Router {
  const $route = atom<Route>(parseRoute(location.pathname))
  let guard: WouldLose | null = null
  /** Closes the open drawer. */
  let overlay: (() => void) | null = null
  /** Whether the current place in the history is that of a drawer, which may be closed. */
  let isAtOverlay = storedState().isOverlay === true
  const $search = atom(location.search)
  // Each entry of the browser history stores its position. The Back button has no other way to tell how far it went.
  let position = storedPosition()
  let shownPath = location.pathname
  history.replaceState({ ...storedState(), position, isOverlay: isAtOverlay }, '')
  const show = () => {
    $search.set(location.search)
    if (location.pathname === shownPath) return
    shownPath = location.pathname
    $route.set(parseRoute(shownPath))
    scrollTo(0, 0)
  }
  /** Closes the open drawer. Returns whether one was open. */
  const leaveOverlay = (): boolean => {
    const close = overlay
    overlay = null
    close?.()
    return close !== null
  }
  /** The paths of places below a drawer that were replaced while it had the current place, by position. */
  const replaced = new Map<number, string>()
  /** The paths that replace those of forgotten places. */
  const forgotten = new Map<string, string>()
  const go: Router['go'] = (path, { replaces = false } = {}) => {
    if (replaces && isAtOverlay) replaced.set(position - 1, path)
    if (!replaces) leaveOverlay()
    // The next place takes the one of a drawer, to which Back cannot return.
    const isTaken = replaces || isAtOverlay
    isAtOverlay &&= replaces
    if (!replaces) replaced.delete(isTaken ? position : position + 1)
    if (!isTaken) position += 1
    if (isTaken) history.replaceState({ position, isOverlay: isAtOverlay }, '', path)
    else history.pushState({ position }, '', path)
    show()
  }
  const wouldLose: WouldLose = (end) => guard?.(end) === true
  const mayLeave = () => !wouldLose('view') || confirm('Leave this page without saving your changes?')
  const follow = (path: string) => {
    // Another query keeps the view, for example a link to a panel of the open document.
    const isOtherPath = new URL(path, location.origin).pathname !== location.pathname
    if (!isOtherPath || mayLeave()) go(path)
  }
  addEventListener('popstate', () => {
    const substitute = forgotten.get(location.pathname)
    const path = replaced.get(storedPosition()) ?? substitute
    if (path !== undefined) history.replaceState(history.state, '', path)
    replaced.delete(storedPosition())
    const steps = position - storedPosition()
    const isOtherPath = location.pathname !== shownPath
    const isSkipped = isAtOverlay && !leaveOverlay() && steps > 0 && !isOtherPath
    isAtOverlay = storedState().isOverlay === true
    if (isSkipped) {
      position = storedPosition()
      return history.back()
    }
    // If the view stays, the page returns to its entry. This fires the event again, at the same address.
    if (isOtherPath && !mayLeave()) return history.go(steps === 0 ? 1 : steps)
    position = storedPosition()
    show()
    if (substitute !== undefined && steps > 0) history.back()
  })
  // The second click of a double click must not reach a control of the view that the first one has opened.
  let clicked: { readonly path: string; readonly control: EventTarget | undefined } | null = null
  document.addEventListener(
    'click',
    (event) => {
      const [path, control] = [location.pathname, controlOf(event)]
      const isRepeated = event.detail > 1 && clicked !== null
      if (isRepeated && clicked?.path !== path && clicked?.control !== control) {
        event.preventDefault()
        event.stopImmediatePropagation()
      } else clicked = { path, control }
    },
    { capture: true },
  )
  document.addEventListener('click', (event) => {
    const path = followedPath(event)
    if (path === null) return
    event.preventDefault()
    follow(path)
  })
  addEventListener('beforeunload', (event) => {
    if (wouldLose('page')) event.preventDefault()
  })
  return {
    $route,
    $search,
    go,
    follow,
    forget: (pathname, path) => void forgotten.set(pathname, path),
    path: () => location.pathname + location.search,
    guard(next) {
      guard = next
    },
    wouldLose,
    openOverlay(close) {
      overlay = close
      if (isAtOverlay) return
      isAtOverlay = true
      position += 1
      history.pushState({ position, isOverlay: true }, '')
    },
    closeOverlay() {
      overlay = null
    },
  }
}

/** Returns the position of the current entry in the browser history, or 0 for an entry of another page. */
function storedPosition(): number {
  const { position } = storedState()
  return typeof position === 'number' ? position : 0
}

function storedState(): { readonly position?: unknown; readonly isOverlay?: unknown } {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null ? state : {}
}

/** Parses a path to a route. */
function parseRoute(path: string): Route {
  const [first = '', id, ...rest] = path.split('/').slice(1)
  if (rest.length > 0) return { view: 'not-found' }
  const list = pageLists.find((name) => name === first)
  if (list !== undefined) {
    if (id === undefined || id === '') return { view: 'list', list }
    if (id === 'new') return { view: 'entry', list, id: null }
    const decoded = decodeSegment(id)
    return decoded === null ? { view: 'not-found' } : { view: 'entry', list, id: decoded }
  }
  const section = administrationSections.find((name) => first === 'administration' && name === id)
  if (section !== undefined) return { view: 'administration', section }
  if (id !== undefined) return { view: 'not-found' }
  if (first === '') return { view: 'home' }
  if (`/${first}` === signedInPath) return { view: 'signed-in' }
  return first === 'work-center' || first === 'team' || first === 'preferences' || first === 'audit-log'
    ? { view: first }
    : { view: 'not-found' }
}

/** Decodes a path segment. Returns null if the encoding is invalid, for example in a truncated URL. */
function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

/** Returns the control that the user has clicked. The links to the neighbours of an entry stay the same from view to view. */
const controlOf = (event: MouseEvent): EventTarget | undefined =>
  event.composedPath().find((target) => target instanceof HTMLElement && target.matches('a, button, input'))

/** Returns the path of a plain click on a link to this page, or null. The browser handles all other clicks. */
function followedPath(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0) return null
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null
  const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement)
  if (link === undefined || link.target !== '' || link.hasAttribute('download')) return null
  const isOwn = link.origin === location.origin && parseRoute(link.pathname).view !== 'not-found'
  return isOwn ? link.pathname + link.search : null
}
