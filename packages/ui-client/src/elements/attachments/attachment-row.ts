import { html, nothing, type TemplateResult } from 'lit'
import type { Attachment } from '../../wire/attachments.ts'
import { formatBytes, timeOf } from '../parts/format.ts'
import { downloadIcon, trashIcon } from '../parts/icons.ts'
import type { Texts } from '../texts.ts'

export interface AttachmentRowInput {
  readonly file: Attachment
  readonly texts: Texts
  /** Downloads the file. `download` and `delete` are null if the user has no permission for them. */
  readonly download: (() => void) | null
  readonly delete: (() => void) | null
}

/** Renders a ready file. The name is shown as plain text; `<bdi>` isolates its writing direction. */
export function attachmentRow(input: AttachmentRowInput): TemplateResult {
  const { file, texts } = input
  const { fileName, sizeBytes, createdByDisplayName, createdAtUtc } = file
  return html`<li class="row" data-id=${file.id}>
    <div class="grow">
      <bdi class="name">${fileName}</bdi>
      <div class="muted small">
        ${formatBytes(sizeBytes)} · <bdi>${createdByDisplayName}</bdi> · ${timeOf(createdAtUtc)}
      </div>
    </div>
    ${
      input.download === null
        ? nothing
        : html`<button
            class="quiet small"
            aria-label=${texts.attachments.downloadOf(fileName)}
            title=${texts.attachments.download}
            @click=${input.download}
          >
            ${downloadIcon}
          </button>`
    }${
      input.delete === null
        ? nothing
        : html`<button
            class="quiet small"
            aria-label=${texts.attachments.deleteOf(fileName)}
            title=${texts.common.delete}
            @click=${input.delete}
          >
            ${trashIcon}
          </button>`
    }
  </li>`
}
