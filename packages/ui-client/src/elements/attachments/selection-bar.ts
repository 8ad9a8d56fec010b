import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { ZipState } from '../../stores/zip-download.ts'
import type { Attachment } from '../../wire/attachments.ts'
import { formatBytes } from '../parts/format.ts'
import { downloadIcon, trashIcon } from '../parts/icons.ts'
import type { TextsOf } from '../texts.ts'
import { progressBar } from './progress-bar.ts'

export interface SelectionBar {
  readonly shown: readonly Attachment[]
  /** The selected files that are shown. */
  readonly chosen: readonly Attachment[]
  readonly texts: TextsOf<'attachments'>['attachments']
  /** The actions are null if the user has no permission for them. */
  readonly download: ((files: readonly Attachment[]) => void) | null
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
    ${
      bar.download === null
        ? nothing
        : html`<button part="button" class="small" @click=${() => bar.download?.(isNone ? shown : chosen)}>
            ${downloadIcon} ${isNone ? texts.downloadAll : texts.download}
          </button>`
    }
    ${
      bar.delete === null || isNone
        ? nothing
        : html`<button part="button" class="small" @click=${() => bar.delete?.(chosen)}>${trashIcon} ${texts.deleteSelected}</button>`
    }
  </div>`
}

export interface ZipProgress {
  readonly state: ZipState
  readonly texts: TextsOf<'attachments'>
  again(failed: readonly Attachment[]): void
  cancel(): void
}

/** Renders the progress of a download of several files, then the files that are missing in it. */
export function zipProgress({ state, texts, again, cancel }: ZipProgress): TemplateResult | typeof nothing {
  const { attachments, common } = texts
  if (state.status === 'running') {
    const { doneCount, count, receivedBytes, totalBytes } = state
    return html`<div class="overall">
      <div class="row">
        <span class="grow">${attachments.packing(doneCount, count)}</span>
        <button part="button" class="small" @click=${cancel}>${attachments.cancelDownload}</button>
      </div>
      ${progressBar({
        label: attachments.packingProgress,
        value: receivedBytes,
        max: totalBytes,
        text: attachments.transferring(formatBytes(receivedBytes), formatBytes(totalBytes)),
      })}
    </div>`
  }
  if (state.status === 'idle') return nothing
  const { failed, count } = state
  if (failed.length === 0) {
    return html`<p class="visually-hidden" role="status">${attachments.packing(count, count)}</p>`
  }
  return html`<div part="error" class="banner" role="alert">
    <span>
      ${attachments.notDownloaded(failed.length, count)} ${failed.map(({ fileName }) => html`<bdi>${fileName}</bdi> `)}
    </span>
    <button part="button" class="small" @click=${() => again(failed)}>${common.retry}</button>
    <button part="button" class="small" @click=${cancel}>${attachments.dismiss}</button>
  </div>`
}
