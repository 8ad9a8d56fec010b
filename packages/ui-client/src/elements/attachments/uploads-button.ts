import { html, nothing, type TemplateResult } from 'lit'
import type { ObjectUploads } from '../../stores/session-uploads.ts'
import type { FileUpload } from '../../stores/upload-state.ts'
import { uploadIcon } from '../parts/icons.ts'
import { type TextsOf, textsOf } from '../texts.ts'
import { uploadsEnglish } from './upload-texts.ts'

type Target = ObjectUploads['target']

const isStopped = ({ status }: FileUpload) => status === 'failed' || status === 'interrupted'

/** Renders the button with the progress of all uploads, and the list of their objects. `open` with null opens the list. */
export function uploadsButton(
  objects: readonly ObjectUploads[],
  { attachments: shown }: TextsOf<'attachments'>,
  open: (target: Target | null) => void,
): TemplateResult {
  const { attachments } = textsOf(uploadsEnglish)
  const [first] = objects
  const stoppedCount = objects.flatMap(({ uploads }) => uploads).filter(isStopped).length
  const stopped = stoppedCount === 0 ? null : attachments.stopped(stoppedCount)
  const text = progressText(objects)
  return html`<button
      part="button"
      id="notice"
      class="small ${stopped === null ? '' : 'stopped'}"
      aria-label=${stopped === null ? text : `${text}. ${stopped}`}
      title=${text}
      @click=${() => open(objects.length === 1 && first !== undefined ? first.target : null)}
    >
      ${uploadIcon} <span class="text">${stopped ?? text}</span>
    </button>
    <div part="menu" id="objects" popover role="group" aria-label=${shown.uploads}>
      ${objects.map(
        ({ target, uploads }) =>
          html`<button part="button" class="quiet small" @click=${() => open(target)}>
            <bdi>${attachments.uploadsOf(uploads[0]?.fileName ?? '', uploads.length - 1)}</bdi>
          </button>`,
      )}
    </div>
    <span class="visually-hidden" role="status">${stopped ?? nothing}</span>`
}

function progressText(objects: readonly ObjectUploads[]): string {
  const { attachments, locale } = textsOf(uploadsEnglish)
  const sum = (of: (progress: ObjectUploads['progress']) => number) =>
    objects.reduce((total, { progress }) => total + of(progress), 0)
  const share = sum(({ sentBytes }) => sentBytes) / (sum(({ totalBytes }) => totalBytes) || 1)
  return attachments.running(
    sum(({ finishedCount }) => finishedCount),
    sum(({ count }) => count),
    new Intl.NumberFormat(locale ?? undefined, { style: 'percent' }).format(share),
  )
}
