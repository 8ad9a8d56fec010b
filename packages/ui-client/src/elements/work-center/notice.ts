import { html, nothing, type TemplateResult } from 'lit'
import type { WorkCenterStore } from '../../stores/work-center.ts'
import { leavingButton } from '../parts/focus.ts'
import { errorText, itemText, type TextsOf } from '../texts.ts'

/** Renders why a change was refused, and whether the page has lost its connection. */
export function notice(
  store: WorkCenterStore,
  { workCenter: texts, common }: TextsOf<'workCenter'>,
): TemplateResult {
  const refused = store.$notice.get()
  const isLate = store.$realtime.get() === 'reconnecting'
  const banner = (text: string, close: () => void) => html`<div part="notice" class="banner warning">
    <bdi>${text}</bdi>
    <button part="button" class="small" @click=${leavingButton(close)}>${common.close}</button>
  </div>`
  return html`<div class="notice" role="alert">${
    refused === null
      ? nothing
      : banner(texts[refused.reason](itemText(refused.item.titleText, refused.item.title)), store.closeNotice)
  }${failure(store, texts, (text) => banner(text, store.batches.close))}</div>
  <p class="muted small" role="status" ?hidden=${!isLate}>${isLate ? texts.late : nothing}</p>`
}

/** Renders the failure of a change of several items, if it has changed none of them. */
function failure(
  { batches }: WorkCenterStore,
  texts: TextsOf<'workCenter'>['workCenter'],
  banner: (text: string) => TemplateResult,
): TemplateResult | typeof nothing {
  const batch = batches.$batch.get()
  if (batch?.status === 'failed') return banner(errorText(batch.error))
  return batch?.status === 'done' && isRefused(batch) ? banner(texts.batchDone(batch)) : nothing
}

/** Returns whether a change has changed no item. */
export const isRefused = ({ changedCount, failedCount }: { changedCount: number; failedCount: number }) =>
  changedCount === 0 && failedCount > 0
