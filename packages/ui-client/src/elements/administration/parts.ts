import { html, type LitElement, nothing, type TemplateResult } from 'lit'
import type { RowState } from '../../stores/administration/index.ts'
import { errorText, sharedTexts } from '../texts.ts'

/** Renders the error of a failed change, or nothing. */
export const failedChange = (row: RowState | undefined): TemplateResult | typeof nothing =>
  row?.status === 'failed'
    ? html`<div part="error" class="banner wide" role="alert"><span>${errorText(row.error)}</span></div>`
    : nothing

/** Renders the placeholder of content that is loading. */
export const loadingContent = (): TemplateResult =>
  html`<div part="loading" class="skeleton" role="status" aria-label=${sharedTexts().common.loading}></div>`

/** Moves the focus once the element has rendered: a button with the focus has gone with its form or row. */
export async function focusRendered(host: LitElement, selector: string): Promise<void> {
  await host.updateComplete
  host.renderRoot.querySelector<HTMLElement>(selector)?.focus()
}

/** Renders a table that scrolls in a narrow container. The keyboard can reach it, because it may have no other control. */
export const scrollingTable = (label: string, table: TemplateResult): TemplateResult =>
  html`<div class="scroll" role="region" tabindex="0" aria-label=${label}>${table}</div>`

/** Returns the fields of all forms with input that is not saved. */
export const changedInputs = (root: ParentNode): readonly HTMLInputElement[] =>
  [...root.querySelectorAll<HTMLInputElement>('form input')].filter(
    (input) => input.value !== input.defaultValue || input.checked !== input.defaultChecked,
  )
