import { css, html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type ObjectUploads, type UploadsStore, uploadsStore } from '../../stores/session-uploads.ts'
import type { FileUpload } from '../../stores/upload-state.ts'
import { uploadIcon } from '../parts/icons.ts'
import { hidePopover, placePopover } from '../parts/popover.ts'
import { StoreElement } from '../store-element.ts'
import { attachmentsEnglish } from './texts.ts'

const isStopped = ({ status }: FileUpload) => status === 'failed' || status === 'interrupted'

/**
 * A button with the progress of all unfinished uploads of the session, for every view of a page. Renders nothing
 * without such uploads. If several objects have uploads, the button lists them.
 *
 * @tag vk-uploads
 * @fires {CustomEvent<BusinessObjectReference>} vk-uploads-open - The page shows this object, and with it the uploads.
 * @csspart button - Each button.
 * @csspart menu - The list of objects with uploads.
 */
export class UploadsNotice extends StoreElement<UploadsStore, 'attachments'> {
  static override styles = [
    StoreElement.styles,
    css`
      :host {
        display: inline-block;
        container-type: normal;
        vertical-align: middle;
      }
      .stopped {
        background: var(--_warning-soft);
        color: var(--_warning);
      }
      .text {
        font-variant-numeric: tabular-nums;
      }
      [popover] {
        margin: 0;
        padding: 0.25rem;
        border: 1px solid var(--_line);
        border-radius: var(--_radius);
        background: var(--_ground);
        color: var(--_text);
      }
      [popover] button {
        width: 100%;
        justify-content: flex-start;
        overflow-wrap: anywhere;
        text-align: start;
      }
      @media (width < 40rem) {
        #notice .text {
          display: none;
        }
      }
    `,
  ]
  protected override readonly english = attachmentsEnglish
  protected readonly storeProperties = ['session']

  protected openStore(session: Session): UploadsStore {
    return uploadsStore(session)
  }

  protected atomsOf(store: UploadsStore): readonly ReadableAtom<unknown>[] {
    return [store.$objects]
  }

  protected override render(): TemplateResult | typeof nothing {
    const objects = this.store?.$objects.get() ?? []
    const { attachments: texts } = this.texts
    const [first] = objects
    if (first === undefined) return nothing
    const stopped = objects.flatMap(({ uploads }) => uploads).filter(isStopped).length
    const text = this.#progress(objects)
    return html`<button
        part="button"
        id="notice"
        class="small ${stopped === 0 ? '' : 'stopped'}"
        aria-label=${stopped === 0 ? text : `${text}. ${texts.stopped(stopped)}`}
        title=${text}
        @click=${() => (objects.length === 1 ? this.tell('vk-uploads-open', first.target) : this.#list())}
      >
        ${uploadIcon} <span class="text">${stopped === 0 ? text : texts.stopped(stopped)}</span>
      </button>
      <div part="menu" id="objects" popover role="group" aria-label=${texts.uploads}>
        ${objects.map(
          ({ target, uploads }) =>
            html`<button part="button" class="quiet small" @click=${() => this.#show(target)}>
              <bdi>${texts.uploadsOf(uploads[0]?.fileName ?? '', uploads.length - 1)}</bdi>
            </button>`,
        )}
      </div>
      <span class="visually-hidden" role="status">${stopped === 0 ? nothing : texts.stopped(stopped)}</span>`
  }

  #progress(objects: readonly ObjectUploads[]): string {
    const sum = (of: (progress: ObjectUploads['progress']) => number) =>
      objects.reduce((total, { progress }) => total + of(progress), 0)
    const share = sum(({ sentBytes }) => sentBytes) / (sum(({ totalBytes }) => totalBytes) || 1)
    return this.texts.attachments.running(
      sum(({ finishedCount }) => finishedCount),
      sum(({ count }) => count),
      new Intl.NumberFormat(this.texts.locale ?? undefined, { style: 'percent' }).format(share),
    )
  }

  #list(): void {
    const list = this.renderRoot.querySelector<HTMLElement>('#objects')
    const button = this.renderRoot.querySelector<HTMLElement>('#notice')
    if (list === null || button === null) return
    list.showPopover()
    placePopover(list, button)
    list.querySelector('button')?.focus()
  }

  #show(target: ObjectUploads['target']): void {
    const list = this.renderRoot.querySelector<HTMLElement>('#objects')
    if (list !== null) hidePopover(list)
    this.tell('vk-uploads-open', target)
  }
}
