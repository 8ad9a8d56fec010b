import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { DeletionState } from '../../stores/deletions.ts'
import type { Attachment } from '../../wire/attachments.ts'
import { formatBytes, timeOf } from '../parts/format.ts'
import { downloadIcon, trashIcon } from '../parts/icons.ts'
import { singleClick } from '../parts/single-click.ts'
import { errorText, type TextsOf } from '../texts.ts'
import { fileIcon } from './file-icon.ts'
import type { RowChoice } from './selected-range.ts'

export interface AttachmentRowInput {
  readonly file: Attachment
  readonly deletion: DeletionState | undefined
  readonly texts: TextsOf<'attachments'>
  readonly isSelected: boolean
  /** Null if there is nothing to select. */
  readonly select: ((choice: RowChoice) => void) | null
  /** Opens the file. `open`, `download` and `delete` are null if the user has no permission for them. */
  readonly open: (() => void) | null
  readonly download: (() => void) | null
  readonly delete: (() => void) | null
}

/** Renders a ready file. The name is shown as plain text; `<bdi>` isolates its writing direction. */
export function attachmentRow(input: AttachmentRowInput): TemplateResult {
  const { file, deletion } = input
  const { fileName, sizeBytes, createdByDisplayName, createdAtUtc } = file
  const name = html`<bdi part="row-title" class="name">${fileName}</bdi>`
  return html`<li part="row" class="row" data-id=${file.id}>
    ${input.select === null ? nothing : checkbox(input, input.select)} ${fileIcon(file)}
    <div class="grow">
      ${input.open === null ? name : html`<button part="link" class="link" @click=${input.open}>${name}</button>`}
      <div part="row-details" class="muted small">
        ${formatBytes(sizeBytes)} · <bdi>${createdByDisplayName}</bdi> · ${timeOf(createdAtUtc)}
      </div>
    </div>
    ${
      input.download === null && input.delete === null
        ? nothing
        : html`<div part="row-actions" class="row">${downloadButton(input)}${deleteButton(input)}</div>`
    }${
      deletion?.status === 'failed'
        ? html`<div part="error" class="banner grow" role="alert"><span>${errorText(deletion.error)}</span></div>`
        : nothing
    }
  </li>`
}

function downloadButton({ file, texts, download }: AttachmentRowInput): TemplateResult | typeof nothing {
  if (download === null) return nothing
  return html`<button
    part="button"
    class="quiet small"
    aria-label=${texts.attachments.downloadOf(file.fileName)}
    title=${texts.attachments.download}
    @click=${download}
  >
    ${downloadIcon}
  </button>`
}

function deleteButton({ file, texts, delete: remove }: AttachmentRowInput): TemplateResult | typeof nothing {
  if (remove === null) return nothing
  return html`<button
    part="button"
    class="quiet small"
    aria-label=${texts.attachments.deleteOf(file.fileName)}
    title=${texts.common.delete}
    @click=${singleClick(remove)}
  >
    ${trashIcon}
  </button>`
}

function checkbox(
  { file, texts, isSelected }: AttachmentRowInput,
  select: NonNullable<AttachmentRowInput['select']>,
): TemplateResult {
  return html`<input
    part="checkbox"
    type="checkbox"
    aria-label=${texts.attachments.selectOf(file.fileName)}
    .checked=${live(isSelected)}
    @click=${({ target, shiftKey }: MouseEvent) =>
      select({ id: file.id, isSelected: (target as HTMLInputElement).checked, isRange: shiftKey })}
  />`
}
