import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import { type AccessStore, accessStore } from '../../stores/access.ts'
import { type AttachmentsStore, attachmentsStore } from '../../stores/attachments.ts'
import { type FeaturesStore, featuresStore } from '../../stores/features.ts'
import type { Attachment } from '../../wire/attachments.ts'
import type { BusinessObjectReference } from '../../wire/business-objects.ts'
import type { AskDialog } from '../parts/ask-dialog.ts'
import { listBody } from '../parts/list-body.ts'
import { startDownload } from '../parts/start-download.ts'
import { StoreElement } from '../store-element.ts'
import { targetProperty } from '../target-property.ts'
import { errorText } from '../texts.ts'
import { acceptFiles } from './accept-files.ts'
import { attachmentRow } from './attachment-row.ts'
import { attachmentsStyle } from './style.ts'
import { uploadRow } from './upload-row.ts'

/**
 * `<vk-attachments>`: lists, uploads, downloads and deletes the files of one object, according to the user's permissions.
 * Renders nothing if attachments are disabled. Files are sent directly to the object store. The same user can resume an
 * interrupted upload, even after a reload.
 */
export class AttachmentsPanel extends StoreElement<AttachmentsStore> {
  static override styles = [StoreElement.styles, attachmentsStyle]
  static override properties: PropertyDeclarations = {
    target: targetProperty,
    failure: { attribute: false, state: true },
    isOver: { attribute: false, state: true },
  }
  /** The object with the files. */
  declare target: BusinessObjectReference | undefined
  declare failure: KitError | null
  declare isOver: boolean
  protected readonly storeProperties = ['session', 'target']
  #access: AccessStore | null = null
  #features: FeaturesStore | null = null

  constructor() {
    super()
    this.failure = null
    this.isOver = false
    acceptFiles(this, {
      isWelcome: () => this.#may('create'),
      onEnter: () => {
        this.isOver = true
      },
      onLeave: () => {
        this.isOver = false
      },
      onFiles: (files) => this.store?.add(files),
    })
  }

  protected openStore(session: Session): AttachmentsStore | null {
    // Open dialogs and errors belong to the previous object or user.
    this.renderRoot.querySelector<AskDialog>('vk-ask-dialog')?.withdraw()
    this.failure = null
    if (this.target === undefined) return null
    const access = accessStore(session)
    const features = featuresStore(session)
    this.#access = access
    this.#features = features
    const store = attachmentsStore(session, this.target)
    void Promise.all([access.load(), features.load()]).then(() => {
      if (features.isEnabled('Attachments') && access.may('system.attachments.read')) void store.load()
    })
    return store
  }

  protected atomsOf(store: AttachmentsStore): readonly ReadableAtom<unknown>[] {
    const rights = [this.#access, this.#features].flatMap((one) => (one === null ? [] : [one.$state]))
    return [store.$list, store.$uploads, store.$arrived, ...rights]
  }

  #may(action: 'read' | 'create' | 'delete'): boolean {
    const isEnabled = this.#features?.isEnabled('Attachments') === true
    return isEnabled && this.#access?.may(`system.attachments.${action}`) === true
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    if (store === null || !(this.#may('read') || this.#may('create'))) return nothing
    const arrived = store.$arrived.get()
    return html`
      <section class="stack" tabindex="-1" aria-label=${texts.attachments.title}>
        ${
          this.#may('create')
            ? html`<vk-drop-zone .isOver=${this.isOver} @vk-files=${(event: CustomEvent<readonly File[]>) => store.add(event.detail)}></vk-drop-zone>`
            : nothing
        }
        <p class="visually-hidden" role="status">
          ${arrived === null ? nothing : texts.attachments.arrived(arrived.fileName)}
        </p>
        ${this.#uploads(store)}
        ${
          this.failure === null
            ? nothing
            : html`<div class="banner" role="alert"><span>${errorText(this.failure)}</span></div>`
        }
        ${this.#files(store)}
      </section>
      <vk-ask-dialog></vk-ask-dialog>
    `
  }

  #uploads(store: AttachmentsStore): TemplateResult | typeof nothing {
    const uploads = store.$uploads.get()
    const { texts } = this
    if (uploads.length === 0) return nothing
    return html`<ul aria-label=${texts.attachments.uploads}>
      ${repeat(
        uploads,
        ({ key }) => key,
        (upload) => uploadRow({ upload, store, texts, onGone: this.#keepFocus }),
      )}
    </ul>`
  }

  /** Renders the list. Users without permission to read see only the files that they have just uploaded. */
  #files(store: AttachmentsStore): TemplateResult {
    const { attachments } = this.texts
    const list = store.$list.get()
    const row = (file: Attachment) =>
      attachmentRow({
        file,
        texts: this.texts,
        download: this.#may('read') ? () => void this.#download(file) : null,
        delete: this.#may('delete') ? () => void this.#delete(file) : null,
      })
    if (!this.#may('read')) return html`<ul aria-label=${attachments.title}>${list.items.map(row)}</ul>`
    return listBody({
      list,
      label: attachments.title,
      row,
      empty: html`<p>${attachments.empty}</p>`,
      load: () => void store.load(),
      loadMore: () => void store.loadMore(),
    })
  }

  async #download({ id }: Attachment): Promise<void> {
    const { store } = this
    this.failure = null
    const download = await store?.download(id)
    if (download == null || this.store !== store) return
    if ('error' in download) this.failure = download.error
    else startDownload(download.url)
  }

  async #delete({ id, fileName }: Attachment): Promise<void> {
    const { store, texts } = this
    const { attachments, common } = texts
    const answer = await this.renderRoot.querySelector<AskDialog>('vk-ask-dialog')?.ask({
      title: attachments.confirmDelete,
      message: attachments.confirmDeleteMessage(fileName),
      confirmLabel: common.delete,
      isDangerous: true,
    })
    // If the user or object changed while the dialog was open, do not delete with the new store.
    if (answer == null || store === null || this.store !== store) return
    const failure = await store.delete(id)
    if (this.store !== store) return
    this.failure = failure
    await this.#keepFocus()
  }

  /** If the row with the focus was removed, moves the focus to this element. Otherwise the browser resets the focus. */
  #keepFocus = async (): Promise<void> => {
    await this.updateComplete
    if (this.shadowRoot?.activeElement == null) this.renderRoot.querySelector('section')?.focus()
  }
}
