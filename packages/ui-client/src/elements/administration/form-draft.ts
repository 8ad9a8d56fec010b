import type { LitElement } from 'lit'
import type { Session } from '../../session/session.ts'
import type { Rows } from '../../stores/administration/rows.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import { isolated } from '../parts/format.ts'
import { errorText } from '../texts.ts'
import { changedInputs } from './parts.ts'

/** An element that shows one form with texts at a time. */
interface FormHost extends LitElement {
  readonly session: Session | undefined
}

const draftName = (form: string) => `form/${form}`
/** The name of the saved value that the user has changed. */
const savedName = (name: string) => `saved ${name}`

/**
 * Keeps the texts of the open form. Its user gets them back after a reload, or after the session has ended. Checked roles are not
 * kept: an administrator who then enters another person could grant them without noticing.
 */
export function keepInput(host: FormHost, form: string): void {
  const texts = changedInputs(host.renderRoot).filter(({ type }) => type !== 'checkbox')
  if (texts.length === 0) {
    discardInput(host, form)
    return
  }
  const input = texts.flatMap(({ name, value, defaultValue }) => [
    [name, value],
    [savedName(name), defaultValue],
  ])
  host.session?.drafts.texts.set(draftName(form), String(new URLSearchParams(input)))
}

/** Removes the texts of a form that the user has saved or cancelled. */
export function discardInput({ session }: FormHost, form: string): void {
  session?.drafts.texts.delete(draftName(form))
}

/** Returns the form that the element shows, or null. */
const openForm = ({ renderRoot }: FormHost): HTMLFormElement | null => renderRoot.querySelector('form')

/**
 * Remembers the input of the open form when it is submitted. Call the result when the form was saved: it removes the kept texts, and
 * returns whether the open form still has this input. Everything that the user has entered since stays.
 */
export function submitInput(host: FormHost, form: string): () => boolean {
  const draft = () => host.session?.drafts.texts.get(draftName(form))
  const input = () => JSON.stringify([...new FormData(openForm(host) ?? undefined)])
  const submitted = [draft(), input()]
  return () => {
    if (draft() === submitted[0]) discardInput(host, form)
    return input() === submitted[1]
  }
}

/** A change of a row that an administrator has sent. */
interface SentChange<T> {
  readonly row: string
  /** The name of what the administrator changes. */
  readonly name: string
  readonly result: Promise<T | null>
}

/**
 * Resolves with the result of a change. Shows why it has failed as a message, if the administrator has closed its form or left its
 * view during the request. The row would show the reason in the next form that is opened, which can be that of another person.
 */
export async function resultOf<T>(
  host: FormHost,
  { $rows, dismiss }: Pick<Rows, '$rows' | 'dismiss'>,
  { row, name, result }: SentChange<T>,
): Promise<T | null> {
  const { session } = host
  const place = host.renderRoot.querySelector(`[data-id="${row}"]`) ?? openForm(host)
  const value = await result
  const state = $rows.get().get(row)
  if (state?.status === 'failed' && session !== undefined && !place?.isConnected) {
    dismiss(row)
    feedbackStore(session).announce({ text: `${isolated(name)}: ${errorText(state.error)}`, tone: 'failure' })
  }
  return value
}

/** Removes the texts of a form when the user leaves the view of its element. The end of the session keeps them. */
export function leaveForm(host: FormHost, form: string | null): void {
  // A page that moves an element removes and inserts it in one step.
  queueMicrotask(() => {
    if (form !== null && !host.isConnected && host.session?.signal.aborted === false) discardInput(host, form)
  })
}

/**
 * Prepares a form that was opened: restores its texts, and moves the focus to its first field. Does not restore a text of which
 * another administrator has changed the saved value since: saving it would undo that change.
 */
export async function enterForm(host: FormHost, form: string): Promise<void> {
  await host.updateComplete
  const { session, renderRoot } = host
  const kept = new URLSearchParams(session?.drafts.texts.get(draftName(form)) ?? '')
  for (const input of renderRoot.querySelectorAll<HTMLInputElement>('form input')) {
    const { name, defaultValue } = input
    if (kept.get(savedName(name)) === defaultValue) input.value = kept.get(name) ?? ''
  }
  renderRoot.querySelector<HTMLElement>('form .field input')?.focus()
}
