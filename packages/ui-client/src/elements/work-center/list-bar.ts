import { html, nothing, type TemplateResult } from 'lit'
import { type BulkBar, bulkBar } from './bulk-bar.ts'

export interface ListBar extends BulkBar {
  /** Shows the keyboard shortcuts. Null if they are switched off. */
  readonly help: (() => void) | null
}

/** Renders the bar above a list. It always has the same height, so that the list does not move. */
export function listBar(bar: ListBar): TemplateResult {
  const { title } = bar.texts.shortcuts
  return html`<div part="toolbar" class="bar">
    ${bulkBar(bar)}
    ${
      bar.help === null
        ? nothing
        : html`<button part="button" class="quiet small help" aria-label=${title} title=${title} @click=${bar.help}>?</button>`
    }
  </div>`
}
