import type { KitError } from '@vertical-kit/ui-client'
import { feedbackStore } from '@vertical-kit/ui-client/stores'
import type { App } from '../app.ts'
import type { Entry } from '../data/entries.ts'
import type { VersionedEntry } from '../data/opened-entry.ts'
import { mayHaveSucceeded } from '../data/save-entry.ts'
import type { LinesOf } from '../form/rebase.ts'
import type { ListDefinition } from '../lists.ts'
import type { Workspace } from '../workspace.ts'
import { nameOf } from './columns.ts'
import { chooseTyped } from './editors/picker-field.ts'
import { deleteAfterQuestion, saveForm } from './entry-requests.ts'
import type { EntryStore } from './entry-store.ts'
import { keepLater, keepRefused, tellNotDeleted, tellNotPosted } from './left-entry.ts'

/** The view of an entry, as its commands use it. */
export interface EntryView extends ParentNode {
  readonly app: App
  readonly workspace: Workspace
  readonly list: ListDefinition
  readonly entryId: string | null
  /** Another store after the user has opened another entry. */
  readonly store: EntryStore | null
  /** The path of the list, as the user has left it. */
  readonly listPath: string
  /** The draft that was saved but not posted, and the reason. */
  notPosted: { readonly id: string; readonly error: KitError } | null
  /** Moves the focus after the next rendering. Without such an element, a lost focus goes to the view. */
  moveFocus(selector: string): Promise<void>
  /** Moves a lost focus to the view: a button that is now disabled or gone cannot keep it. */
  keepFocus(): Promise<void>
}

/** Saves the form, and posts the document after a click on the button with the name `post`. */
export async function save(view: EntryView, event: SubmitEvent): Promise<void> {
  event.preventDefault()
  const { store, list, app, entryId: id } = view
  const { session } = view.workspace
  if (store === null) return
  view.notPosted = null
  const posts = event.submitter?.getAttribute('name') === 'post'
  if (!(await chooseTyped(view))) return view.moveFocus('[aria-invalid="true"]')
  if (view.store !== store) return
  const result = await saveForm(session, store, { list, id, posts })
  // If the user opened another entry during the request, leave that entry unchanged.
  const isShown = view.store === store
  if (result === null)
    return isShown ? view.moveFocus('[aria-invalid="true"]') : keepRefused(session, store, list)
  const { draft, current, posted } = result
  const { entry: saved } = draft
  showNewName(view, saved)
  confirm(
    view,
    `${id === null ? `${nameOf(saved)} created` : 'Saved'}${current === draft ? '' : ' and posted'}.`,
  )
  if ('number' in saved) session.announce({ kind: 'document', typeCode: saved.typeCode, id: saved.id })
  // The form keeps the text that the user typed during the request.
  store.markSaved(draft)
  if (!isShown) {
    keepLater(session, store, { list, id: saved.id })
    return tellNotPosted(session, saved, posted)
  }
  const notPosted = posted !== null && 'error' in posted ? { id: saved.id, error: posted.error } : null
  if (id === null) {
    store.keep(saved.id)
    view.notPosted = notPosted
    return app.router.go(`/${list.path}/${saved.id}`, { replaces: true })
  }
  store.opened?.show(current)
  void view.keepFocus()
  if (notPosted !== null && mayHaveSucceeded(notPosted.error)) await store.opened?.load()
  view.notPosted = notPosted
}

/** Discards the changes. The user can undo that, also after leaving the entry. */
export function discard(view: EntryView, store: EntryStore, shown: VersionedEntry): void {
  // The text of a picker is discarded, too.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  const restore = store.discard(shown)
  void view.moveFocus('form input')
  const feedback = feedbackStore(view.workspace.session)
  const undo = () => {
    const isShown = restore()
    if (view.store === store) void view.moveFocus('form input')
    else if (!isShown)
      feedback.announce({ text: `Your changes are kept. Open this ${view.list.one} again to continue.` })
  }
  feedback.announce({ text: 'Changes discarded.', undo })
}

/** Deletes an entry after a question. */
export async function remove(view: EntryView, entry: Entry): Promise<void> {
  const { store, list, workspace, app, listPath } = view
  if (store === null) return
  const { session } = workspace
  if (!(await deleteAfterQuestion(session, store, { list, entry })))
    return view.store === store ? view.keepFocus() : tellNotDeleted(session, store, entry)
  workspace.desk.forget(list, entry.id)
  app.router.forget(`/${list.path}/${entry.id}`, listPath)
  confirm(view, `${nameOf(entry)} deleted.`)
  if (view.store === store) app.router.go(listPath, { replaces: true })
}

/** Loads the current version of the entry into the form. If the request fails, the form keeps its values. */
export async function loadCurrent(
  view: EntryView,
  changes: 'keeps' | 'discards',
  lines?: LinesOf,
): Promise<void> {
  const { store } = view
  if (store === null) return
  const current = await store.form.submit(async () => store.opened?.read() ?? null)
  if (view.store !== store) {
    if (changes === 'keeps') store.keep()
    return
  }
  if (current === null) return view.keepFocus()
  if (changes === 'discards') {
    store.discard(current)
    store.opened?.show(current)
  } else if (!store.keepChanges(current, lines)) return view.moveFocus('.conflict button')
  // The notice of the change has served its purpose.
  view.querySelector('vk-live-object')?.store?.show()
  void view.moveFocus(store.form.$state.get().isDirty ? 'form .button.primary' : 'form input')
}

/** Documents that refer to a saved item show its new name. */
function showNewName({ workspace, list }: EntryView, saved: Entry): void {
  const { customers, items } = workspace.desk
  if ('number' in saved) return
  if (list.path === 'customers') customers.put([saved])
  else items.put([saved])
}

const confirm = ({ workspace }: EntryView, text: string): void =>
  feedbackStore(workspace.session).announce({ text })
