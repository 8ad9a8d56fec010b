import type { Session } from '@vertical-kit/ui-client/stores'
import type { FormValues } from '../form/form.ts'
import type { ListDefinition } from '../lists.ts'
import { tabId, whileGone } from '../tab.ts'

/** The version of an entry that a form changes, with its values. Items of a catalog have no version, only the time of their last change. */
export interface BasisOfForm {
  readonly version: number | null
  readonly updatedAtUtc: string
  /** The values of this version. */
  readonly values: FormValues
}

/** The unsaved values of a form. `basis` is null for a new entry. */
export interface UnsavedForm {
  readonly values: FormValues
  /** The texts that are no values yet, by the path of the field. */
  readonly typing: Readonly<Record<string, string>>
  readonly basis: BasisOfForm | null
  /** The values with which the form of a new entry was opened; empty for an existing entry. */
  readonly prefilled: FormValues
}

/** The names of all kept forms begin with this text. */
export const unsavedForms = 'form/'

/** Returns the beginning of the names under which the drafts of the user contain the form of an entry. The id of a tab follows. */
export const unsavedName = ({ path }: ListDefinition, id: string | null): string =>
  `${unsavedForms}${path}/${id ?? 'new'}/`

/** Dispatches an event with the name of a form that was kept. */
const kept = new EventTarget()

/**
 * Keeps a form of this tab until the user signs in again. Sign-outs and sign-ins of other users delete it. Returns whether an open form
 * of the same entry restores it.
 */
export function writeUnsaved({ drafts }: Session, name: string, form: UnsavedForm): boolean {
  drafts.texts.set(name + tabId(), JSON.stringify(form))
  return !kept.dispatchEvent(new Event(name, { cancelable: true }))
}

/**
 * Calls `restore` when the input of an earlier view of the same entry is kept: the user has come back before the end of its request.
 * `restore` returns whether it restores the input.
 */
export const onUnsaved = (name: string, restore: () => boolean, signal: AbortSignal): void =>
  kept.addEventListener(name, (event) => restore() && event.preventDefault(), { signal })

/** The input of {@link restoreUnsaved}. */
interface KeptForm {
  readonly name: string
  /** A form with the same fields. */
  readonly like: FormValues
  /** The values with which this form is opened. A form that was opened for another invoice stays kept. */
  readonly prefilled: FormValues
  /** Returns false after the form was filled, or after the user has begun to type. */
  readonly isWanted: () => boolean
  readonly restore: (form: Omit<UnsavedForm, 'prefilled'>) => void
}

/**
 * Restores the form that this tab has kept. Otherwise, restores one that a closed tab has kept. Each kept form is restored in one
 * tab and then deleted.
 */
export async function restoreUnsaved({ drafts: { texts } }: Session, of: KeptForm): Promise<void> {
  const tryName = (name: string) => {
    const unsaved = of.isWanted() ? takeUnsaved(texts, { ...of, name }) : null
    if (unsaved !== null) of.restore(unsaved)
  }
  const own = of.name + tabId()
  tryName(own)
  for (const name of texts.names(of.name)) {
    if (!of.isWanted()) return
    if (name !== own) await whileGone(name.slice(of.name.length), () => tryName(name))
  }
}

/** Returns a kept form, and deletes it. Returns null if there is none, or if its fields are not those of `like`. */
function takeUnsaved(texts: Session['drafts']['texts'], of: KeptForm): Omit<UnsavedForm, 'prefilled'> | null {
  const { name, like } = of
  const text = texts.get(name)
  if (text === null) return null
  const { values, typing = {}, basis, prefilled } = JSON.parse(text) as UnsavedForm
  const isOfAnother = Object.entries(of.prefilled).some(
    ([field, value]) => field.endsWith('Id') && value !== '' && value !== prefilled?.[field],
  )
  if (isOfAnother) return null
  texts.delete(name)
  // Another release of the page may have written it.
  const isAlike = [values, ...(basis === null ? [] : [basis.values])].every((kept) =>
    Object.entries(like).every(([field, value]) => typeof kept?.[field] === typeof value),
  )
  return isAlike ? { values, typing, basis } : null
}
