import type { LitElement } from 'lit'
import type { Session } from '../../session/session.ts'
import { changedInputs } from './parts.ts'

/** An element that shows one form with texts at a time. */
interface FormHost extends LitElement {
  readonly session: Session | undefined
}

const draftName = (form: string) => `form/${form}`

/** Keeps the input of the open form. Its user gets it back after a reload, or after the session has ended. */
export function keepInput({ session, renderRoot }: FormHost, form: string): void {
  const input = changedInputs(renderRoot).map(({ name, value }) => [name, value])
  session?.drafts.texts.set(draftName(form), String(new URLSearchParams(input)))
}

/** Removes the input of a form that the user has saved or cancelled. */
export const discardInput = ({ session }: FormHost, form: string): void =>
  session?.drafts.texts.delete(draftName(form))

/** Prepares a form that was opened: restores its input, and moves the focus to its first text field. */
export async function enterForm(host: FormHost, form: string): Promise<void> {
  await host.updateComplete
  const { session, renderRoot } = host
  const kept = new URLSearchParams(session?.drafts.texts.get(draftName(form)) ?? '')
  for (const input of renderRoot.querySelectorAll<HTMLInputElement>('form input')) {
    if (input.type === 'checkbox') input.checked ||= kept.has(input.name, input.value)
    else if (kept.has(input.name)) input.value = kept.get(input.name) ?? ''
  }
  renderRoot.querySelector<HTMLElement>('form .field input')?.focus()
}
