import { html, type TemplateResult } from 'lit'
import type { ZipState } from '../../stores/zip-download.ts'
import type { Attachment } from '../../wire/attachments.ts'
import { formatBytes } from '../parts/format.ts'
import { textsOf } from '../texts.ts'
import { progressBar } from './progress-bar.ts'
import { zipEnglish } from './zip-texts.ts'

export interface ZipProgress {
  readonly state: Exclude<ZipState, { readonly status: 'idle' }>
  again(failed: readonly Attachment[]): void
  cancel(): void
}

/** Renders the progress of a download of several files, then the files that are missing in it. */
export function zipProgress({ state, again, cancel }: ZipProgress): TemplateResult {
  const { attachments, common } = textsOf(zipEnglish)
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
