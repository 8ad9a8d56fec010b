import { html, nothing, type TemplateResult } from 'lit'
import type { KitError } from '../../client/kit-error.ts'
import type { AttachmentsStore } from '../../stores/attachments.ts'
import { type FileUpload, sentBytesOf } from '../../stores/upload-state.ts'
import { formatBytes } from '../parts/format.ts'
import { singleClick } from '../parts/single-click.ts'
import { errorText, type TextsOf, textsOf } from '../texts.ts'
import { progressBar } from './progress-bar.ts'
import { uploadsEnglish } from './upload-texts.ts'

export interface UploadRowInput {
  readonly upload: FileUpload
  readonly store: AttachmentsStore
  readonly texts: TextsOf<'attachments'>
}

const uploadTexts = () => textsOf(uploadsEnglish).attachments

/** Renders an unfinished upload. All rows have equal height, except those of failed and interrupted uploads. */
export function uploadRow(input: UploadRowInput): TemplateResult {
  const { upload } = input
  const isStopped = upload.status === 'failed' || upload.status === 'interrupted'
  return html`<li part="row" class="stack upload" data-status=${upload.status}>
    <div class="row">
      <vk-thumbnail .file=${upload.file}></vk-thumbnail>
      <bdi part="row-title" class="name grow">${upload.fileName}</bdi>
      <span part="row-details" class="muted small">${formatBytes(upload.sizeBytes)}</span>
      ${isStopped ? nothing : cancelButton(input)}
    </div>
    ${
      isStopped
        ? html`<div
            part=${upload.status === 'failed' ? 'error' : 'notice'}
            class=${upload.status === 'failed' ? 'banner' : 'banner warning'}
            role=${upload.status === 'failed' ? 'alert' : 'status'}
          >
            <span>
              ${upload.status === 'failed' ? uploadErrorText(upload.error) : uploadTexts().interrupted}
            </span>
            ${againButton(input)}${dismissButton(input)}
          </div>`
        : progress(upload)
    }
  </li>`
}

function progress(upload: FileUpload): TemplateResult {
  const { sizeBytes } = upload
  const attachments = uploadTexts()
  const text = {
    queued: attachments.queued,
    reserving: attachments.reserving,
    verifying: attachments.verifying,
    scanning: attachments.scanning,
    transferring:
      upload.status === 'transferring'
        ? attachments.transferring(formatBytes(upload.sentBytes), formatBytes(sizeBytes))
        : nothing,
    failed: nothing,
    interrupted: nothing,
  }[upload.status]
  // An empty file has no bytes to count, so show 0 of 1 or 1 of 1.
  const isEmptyAndSent = sizeBytes === 0 && (upload.status === 'verifying' || upload.status === 'scanning')
  return progressBar({
    label: attachments.progressOf(upload.fileName),
    value: isEmptyAndSent ? 1 : sentBytesOf(upload),
    max: sizeBytes,
    text,
  })
}

function cancelButton({ upload, store, texts }: UploadRowInput): TemplateResult {
  return html`<button
    part="button"
    class="quiet small"
    aria-label=${uploadTexts().cancelOf(upload.fileName)}
    @click=${singleClick(() => store.cancel(upload.key))}
  >
    ${texts.common.cancel}
  </button>`
}

function againButton({ upload, store, texts }: UploadRowInput): TemplateResult | typeof nothing {
  const { common } = texts
  const attachments = uploadTexts()
  if (upload.status === 'failed' && !upload.canRetry) return nothing
  const [text, label] =
    upload.status === 'interrupted'
      ? [attachments.resume, attachments.resumeOf]
      : [common.retry, attachments.retryOf]
  return html`<button
    part="button"
    class="small"
    aria-label=${label(upload.fileName)}
    @click=${() => store.retry(upload.key)}
  >
    ${text}
  </button>`
}

function dismissButton({ upload, store }: UploadRowInput): TemplateResult {
  const attachments = uploadTexts()
  return html`<button
    part="button"
    class="small"
    aria-label=${attachments.dismissOf(upload.fileName)}
    @click=${singleClick(() => store.dismiss(upload.key))}
  >
    ${attachments.dismiss}
  </button>`
}

/** Returns the text of an upload error. Shows limits in readable units. */
function uploadErrorText(error: KitError): string {
  const attachments = uploadTexts()
  const { maxSizeBytes, maxActivePerObject } = error.context
  if (typeof maxSizeBytes === 'number') return attachments.tooLarge(formatBytes(maxSizeBytes))
  if (typeof maxActivePerObject === 'number') return attachments.tooMany(String(maxActivePerObject))
  return errorText(error)
}
