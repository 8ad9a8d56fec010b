import { html, nothing, type TemplateResult } from 'lit'

/** An entry that the user can choose. */
export interface Choice {
  readonly value: string
  readonly label: string
  /** More about the entry, for example the city of a customer. */
  readonly hint?: string
  /** The choice cannot be chosen. The hint contains the reason. */
  readonly isDisabled?: true
}

/** The result of a search in the service. */
export interface Choices {
  readonly choices: readonly Choice[]
  readonly hasMore: boolean
}

/** Finds the choices for a typed text. Calls `show` with choices that are known at once, which come before all others. */
export type FindChoices = (
  text: string,
  signal: AbortSignal,
  show: (known: readonly Choice[]) => void,
) => Promise<Choices>

/** The state of the list of choices. */
export type ChoicesState =
  | { readonly status: 'closed' }
  | { readonly status: 'searching' | 'found'; readonly found: Choices }
  | { readonly status: 'failed'; readonly found: Choices; readonly message: string }

/** No choices. */
export const nothingFound: Choices = { choices: [], hasMore: false }

/** The state of an open list. */
export type OpenChoices = Exclude<ChoicesState, { status: 'closed' }>

/** Returns the choice that a typed text means: the only one that it finds, or the only one with this name. */
export function onlyChoice({ choices, hasMore }: Choices, text: string): Choice | undefined {
  if (choices.length === 1 && !hasMore) return choices[0]
  const name = text.trim().toLowerCase()
  const alike = choices.filter(({ label }) => label.trim().toLowerCase() === name)
  return alike.length === 1 ? alike[0] : undefined
}

/** Renders a choice of the list. */
export function option(
  { label, hint, isDisabled }: Choice,
  { id, isActive, choose }: { readonly id: string; readonly isActive: boolean; readonly choose: () => void },
): TemplateResult {
  return html`<li role="option" id=${id} aria-selected=${isActive} aria-disabled=${isDisabled ?? nothing} @click=${choose}>
    <bdi>${label}</bdi> ${hint ? html`<bdi class="muted">${hint}</bdi>` : nothing}
  </li>`
}

/** Renders what the list shows below its choices. */
export function choicesNote(state: OpenChoices): TemplateResult | typeof nothing {
  if (state.status === 'failed')
    return html`<p class="picker-note field-error" role="alert">${state.message}</p>`
  if (state.found.hasMore) return html`<p class="picker-note">Type to find more.</p>`
  if (countOf(state.found) > 0) return nothing
  return html`<p class="picker-note">${state.status === 'searching' ? 'Searching…' : 'Nothing found.'}</p>`
}

/** Returns what screen readers read when the choices are found. */
export function announcementOf(found: Choices): string {
  const count = countOf(found)
  if (count === 0) return 'Nothing found.'
  return `${count}${found.hasMore ? ' or more' : ''} ${count === 1 ? 'entry' : 'entries'} found.`
}

/** Counts what the user can choose. */
const countOf = ({ choices }: Choices): number => choices.filter(({ isDisabled }) => !isDisabled).length
