import { atom, type ReadableAtom } from 'nanostores'
import { type PageList, pageLists } from '../src/page/page-routes.ts'
import { signedInPath } from '../src/page/signed-in-path.ts'

/** The view that belongs to a URL of the page. */
export type Route =
  | {
      readonly view: 'home' | 'signed-in' | 'work-center' | 'team' | 'preferences' | 'audit-log' | 'not-found'
    }
  | { readonly view: 'list'; readonly list: PageList }
  /** `id` is null for a new entry that is not saved yet. */
  | { readonly view: 'entry'; readonly list: PageList; readonly id: string | null }

/** The routing of the page. It uses the browser history, so links do not reload the page. */
export interface Router {
  readonly $route: ReadableAtom<Route>
  /** Navigates to a path. With `replaces`, replaces the current history entry. */
  go(path: string, options?: { readonly replaces?: boolean }): void
  /** Navigates to a path that the user has chosen. Asks for confirmation if unsaved changes would be lost. */
  follow(path: string): void
  /** Returns the current path, so that the page can return to it later. */
  path(): string
  /** While `wouldLose` returns true, navigation requires the user's confirmation. Null removes the guard. */
  guard(wouldLose: (() => boolean) | null): void
}

/** Creates a router that follows the address bar and the links of the page. */
export function createRouter(): Router {
  const $route = atom<Route>(parseRoute(location.pathname))
  let wouldLose: (() => boolean) | null = null
  const show = () => {
    $route.set(parseRoute(location.pathname))
    scrollTo(0, 0)
  }
  const go: Router['go'] = (path, { replaces = false } = {}) => {
    if (replaces) history.replaceState(null, '', path)
    else history.pushState(null, '', path)
    show()
  }
  const follow = (path: string) => {
    if (wouldLose?.() === true && !confirm('Leave this page without saving your changes?')) return
    go(path)
  }
  addEventListener('popstate', show)
  document.addEventListener('click', (event) => {
    const path = followedPath(event)
    if (path === null) return
    event.preventDefault()
    follow(path)
  })
  addEventListener('beforeunload', (event) => {
    if (wouldLose?.() === true) event.preventDefault()
  })
  return {
    $route,
    go,
    follow,
    path: () => location.pathname + location.search,
    guard(next) {
      wouldLose = next
    },
  }
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

/** Returns the path of a plain click on a link to this page, or null. The browser handles all other clicks. */
function followedPath(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0) return null
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null
  const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement)
  if (link === undefined || link.target !== '' || link.hasAttribute('download')) return null
  const isOwn = link.origin === location.origin && parseRoute(link.pathname).view !== 'not-found'
  return isOwn ? link.pathname + link.search : null
}
