import type { LitElement } from 'lit'
import type { Session } from '../../session/session.ts'
import { changedInputs } from './parts.ts'

/** An element that shows one form with texts at a time. */
interface FormHost extends LitElement {
  readonly session: Session | undefined
}

const draftName = (form: string) => `form/${form}`
/** The name of the saved value that the user has changed. */
const savedName = (name: string) => `saved ${name}`

/** Keeps the input of the open form. Its user gets it back after a reload, or after the session has ended. */
export function keepInput({ session, renderRoot }: FormHost, form: string): void {
  const input = changedInputs(renderRoot).flatMap(({ name, value, defaultValue }) => [
    [name, value],
    [savedName(name), defaultValue],
  ])
  session?.drafts.texts.set(draftName(form), String(new URLSearchParams(input)))
}

/** Removes the input of a form that the user has saved or cancelled. */
export const discardInput = ({ session }: FormHost, form: string): void =>
  session?.drafts.texts.delete(draftName(form))

/**
 * Prepares a form that was opened: restores its input, and moves the focus to its first text field. Does not restore a text of
 * which another administrator has changed the saved value since: saving it would undo that change.
 */
export async function enterForm(host: FormHost, form: string): Promise<void> {
  await host.updateComplete
  const { session, renderRoot } = host
  const kept = new URLSearchParams(session?.drafts.texts.get(draftName(form)) ?? '')
  for (const input of renderRoot.querySelectorAll<HTMLInputElement>('form input')) {
    const { type, name, defaultValue } = input
    if (type === 'checkbox') input.checked ||= kept.has(name, input.value)
    else if (kept.get(savedName(name)) === defaultValue) input.value = kept.get(name) ?? ''
  }
  renderRoot.querySelector<HTMLElement>('form .field input')?.focus()
}
