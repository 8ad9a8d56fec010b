import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { AttachmentsStore } from '../../stores/attachments.ts'
import { define } from '../define.ts'
import { formatBytes } from '../parts/format.ts'
import { type TextsOf, textsOf } from '../texts.ts'
import { progressBar } from './progress-bar.ts'
import { Thumbnail } from './thumbnail.ts'
import { uploadRow } from './upload-row.ts'
import { uploadsEnglish } from './upload-texts.ts'

export interface UploadsList {
  readonly store: AttachmentsStore
  readonly texts: TextsOf<'attachments'>
}

/** Registers the element that the list contains, and returns the function that renders the list. */
export function openUploadsList(): typeof uploadsList {
  define({ 'vk-thumbnail': Thumbnail })
  return uploadsList
}

/** Renders the unfinished uploads. For two or more files, also their overall progress and buttons for all of them. */
function uploadsList({ store, texts }: UploadsList): TemplateResult {
  const uploads = store.$uploads.get()
  return html`${store.$progress.get().count < 2 ? nothing : overall(store)}
    <ul part="list" aria-label=${texts.attachments.uploads}>
      ${repeat(
        uploads,
        ({ key }) => key,
        (upload) => uploadRow({ upload, store, texts }),
      )}
    </ul>`
}

function overall(store: AttachmentsStore): TemplateResult {
  const { attachments } = textsOf(uploadsEnglish)
  const { finishedCount, count, sentBytes, totalBytes } = store.$progress.get()
  const uploads = store.$uploads.get()
  const again = uploads.filter(
    (upload) => upload.status === 'interrupted' || (upload.status === 'failed' && upload.canRetry),
  )
  const all = (verb: (key: string) => void, keys: readonly { readonly key: string }[]) => () => {
    for (const { key } of keys) verb(key)
  }
  return html`<div class="overall">
    <div class="row">
      <span>${attachments.uploaded(finishedCount, count)}</span>
      ${
        again.length === 0
          ? nothing
          : html`<button part="button" class="small" @click=${all(store.retry, again)}>${attachments.retryAll}</button>`
      }
      <button part="button" class="small" @click=${all(store.cancel, uploads)}>${attachments.cancelAll}</button>
    </div>
    ${progressBar({
      label: attachments.allUploads,
      value: sentBytes,
      max: totalBytes,
      text: attachments.transferring(formatBytes(sentBytes), formatBytes(totalBytes)),
    })}
  </div>`
}
