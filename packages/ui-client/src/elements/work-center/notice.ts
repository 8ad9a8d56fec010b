import { html, nothing, type TemplateResult } from 'lit'
import type { WorkCenterStore } from '../../stores/work-center.ts'
import { itemText, type TextsOf } from '../texts.ts'

/** Renders why a change was refused, and whether the page has lost its connection. */
export function notice(
  store: WorkCenterStore,
  { workCenter: texts, common }: TextsOf<'workCenter'>,
): TemplateResult {
  const refused = store.$notice.get()
  const isLate = store.$realtime.get() === 'reconnecting'
  return html`<div class="notice" role="alert">${
    refused === null
      ? nothing
      : html`<div part="notice" class="banner warning">
          <bdi>${texts[refused.reason](itemText(refused.item.titleText, refused.item.title))}</bdi>
          <button part="button" class="small" @click=${() => store.closeNotice()}>${common.close}</button>
        </div>`
  }</div>
  <p class="muted small" role="status" ?hidden=${!isLate}>${isLate ? texts.late : nothing}</p>`
}
