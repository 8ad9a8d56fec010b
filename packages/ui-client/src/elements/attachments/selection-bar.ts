import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { Attachment } from '../../wire/attachments.ts'
import { downloadIcon, trashIcon } from '../parts/icons.ts'
import type { TextsOf } from '../texts.ts'

export interface SelectionBar {
  readonly shown: readonly Attachment[]
  /** The selected files that are shown. */
  readonly chosen: readonly Attachment[]
  readonly texts: TextsOf<'attachments'>['attachments']
  /** Downloads the selected files, or all files for null. */
  download(files: readonly Attachment[] | null): void
  /** Null if the user has no permission for it. */
  readonly delete: ((files: readonly Attachment[]) => void) | null
  select(files: readonly Attachment[]): void
}

/** Renders the selection of all shown files, and what can be done with the selected ones. */
export function selectionBar(bar: SelectionBar): TemplateResult | typeof nothing {
  const { shown, chosen, texts } = bar
  if (shown.length < 2) return nothing
  const isNone = chosen.length === 0
  return html`<div part="toolbar" class="row" role="group" aria-label=${texts.selection}>
    <label class="grow row">
      <input
        part="checkbox"
        type="checkbox"
        .checked=${live(chosen.length === shown.length)}
        .indeterminate=${live(!isNone && chosen.length < shown.length)}
        @change=${({ target }: Event) => bar.select((target as HTMLInputElement).checked ? shown : [])}
      />
      ${isNone ? texts.selectAll : texts.selected(chosen.length)}
    </label>
    <button part="button" class="small" @click=${() => bar.download(isNone ? null : chosen)}>
      ${downloadIcon} ${isNone ? texts.downloadAll : texts.download}
    </button>
    ${
      bar.delete === null || isNone
        ? nothing
        : html`<button part="button" class="small" @click=${() => bar.delete?.(chosen)}>${trashIcon} ${texts.deleteSelected}</button>`
    }
  </div>`
}
