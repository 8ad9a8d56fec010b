import { css, nothing } from 'lit'
import type { ReadableAtom } from 'nanostores'
import { onDemand } from '../../client/on-demand.ts'
import type { Session } from '../../session/session.ts'
import { type ObjectUploads, type UploadsStore, uploadsStore } from '../../stores/session-uploads.ts'
import { partOf } from '../parts/needed-part.ts'
import { hidePopover, placePopover } from '../parts/popover.ts'
import { StoreElement } from '../store-element.ts'
import { attachmentsEnglish } from './texts.ts'

const uploadsButton = onDemand(() => import('./uploads-button.ts'))

/**
 * A button with the progress of all unfinished uploads of the session, for every view of a page. Renders nothing
 * without such uploads. If several objects have uploads, the button lists them.
 *
 * @tag vk-uploads
 * @fires {CustomEvent<BusinessObjectReference>} vk-uploads-open - The page shows this object, and with it the uploads.
 * @csspart button - Each button.
 * @csspart error - An error message.
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
  readonly #button = partOf(this, uploadsButton, (module) => module)

  protected openStore(session: Session): UploadsStore {
    return uploadsStore(session)
  }

  protected atomsOf(store: UploadsStore): readonly ReadableAtom<unknown>[] {
    return [store.$objects]
  }

  protected override render(): unknown {
    const objects = this.store?.$objects.get() ?? []
    if (objects.length === 0) return nothing
    const open = (target: ObjectUploads['target'] | null) =>
      target === null ? this.#list() : this.#show(target)
    return this.#button.show(({ uploadsButton }) => uploadsButton(objects, this.texts, open))
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
