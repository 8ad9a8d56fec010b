import { atom, type ReadableAtom } from 'nanostores'
import { type PageList, pageLists } from '../src/page/page-routes.ts'
import { signedInPath } from '../src/page/signed-in-path.ts'

/** What an address of the page shows. */
export type Route =
  | { readonly view: 'home' | 'signed-in' | 'work-center' | 'preferences' | 'not-found' }
  | { readonly view: 'list'; readonly list: PageList }
  /** `id` null: a new entry, that is not saved yet. */
  | { readonly view: 'entry'; readonly list: PageList; readonly id: string | null }

/** The page's addresses: history, and links that are followed without loading the page again. */
export interface Router {
  readonly $route: ReadableAtom<Route>
  /** `replaces` for what nobody wants to go back to. */
  go(path: string, options?: { readonly replaces?: boolean }): void
  /** The same for a place that the user has chosen: asks first when something would be lost. */
  follow(path: string): void
  /** Where the page is, to come back to. */
  path(): string
  /** Asks before a view is left while this says that something would be lost. Null asks no more. */
  guard(wouldLose: (() => boolean) | null): void
}

/** Follows the address bar and the links of the page. */
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

/** What an address shows. */
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
  return first === 'work-center' || first === 'preferences' ? { view: first } : { view: 'not-found' }
}

/** Null for what is no text, as in an address that was cut off. */
function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

/** Of a plain click on a link to this page; a click that opens another tab is the browser's. */
function followedPath(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0) return null
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null
  const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement)
  if (link === undefined || link.target !== '' || link.hasAttribute('download')) return null
  const isOwn = link.origin === location.origin && parseRoute(link.pathname).view !== 'not-found'
  return isOwn ? link.pathname + link.search : null
}
