import { html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import { onDemand } from '../../client/on-demand.ts'
import type { Session } from '../../session/session.ts'
import { type BatchEnd, type DocumentBatchStore, documentBatchStore } from '../../stores/document-batch.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import type { DocumentAction } from '../../wire/documents.ts'
import { type ElementProperties, optional, typeOf } from '../element-property.ts'
import type { AskDialog } from '../parts/ask-dialog.ts'
import { dialogParts } from '../parts/exported-parts.ts'
import { partOf } from '../parts/needed-part.ts'
import { actionTexts, roleName } from '../service-texts.ts'
import { StoreElement } from '../store-element.ts'
import { batchStyle } from './batch-style.ts'
import type { BatchView } from './batch-view.ts'
import { labelOf } from './execution-status.ts'
import { actionsEnglish } from './texts.ts'

const batchView = onDemand(() => import('./batch-view.ts'))

/** A selected document, and its name for the results. */
export interface BatchSelection {
  readonly id: string
  /** The `documentVersion` that the list shows. */
  readonly expectedVersion: number
  readonly payload?: unknown
  readonly name: string
}

/** An action of a list: its code, texts and confirmation, as in the actions of a document. */
export type BatchAction = Pick<DocumentAction, 'code' | 'label' | 'kind' | 'confirmation'>

/**
 * Executes an action on the selected documents of a list, and shows which documents failed, why, and who could perform
 * the action. Renders nothing without a selection and a result.
 *
 * @tag vk-document-batch
 * @fires {CustomEvent<readonly string[]>} vk-batch-done - The ids of the changed documents.
 * @fires {CustomEvent<null>} vk-batch-clear - The user clears the selection.
 * @slot actions - Your own buttons for the selected documents.
 * @csspart button - Each button.
 * @csspart button-danger - The buttons of dangerous actions. They are also a `button`.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart dialog - Each dialog.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart heading - Each heading.
 * @csspart progress - The progress of a batch.
 * @csspart toolbar - The bar of buttons.
 */
export class DocumentBatch extends StoreElement<DocumentBatchStore, 'actions'> {
  static override styles = [StoreElement.styles, batchStyle]
  static override properties: ElementProperties = {
    documentType: { attribute: 'document-type', accept: optional },
    actions: { attribute: false, accept: typeOf([]) },
    selection: { attribute: false, accept: typeOf([]) },
    roles: { attribute: false, state: true },
  }
  /** The type code of the documents. */
  declare documentType: string | undefined
  /**
   * The actions that the bar offers.
   *
   * @default []
   */
  declare actions: readonly BatchAction[]
  /**
   * The selected documents. They are sent in several requests, and the page shows the progress.
   *
   * @default []
   */
  declare selection: readonly BatchSelection[]
  /** The names of the roles that could perform the action of the shown results. */
  declare protected roles: readonly string[]
  protected override readonly english = actionsEnglish
  protected readonly storeProperties = ['session', 'documentType']
  readonly #view = partOf(this, batchView, (module) => module)
  /** The names of the documents of the running or shown batch. */
  #names: ReadonlyMap<string, string> = new Map()

  constructor() {
    super()
    this.roles = []
  }

  protected openStore(session: Session): DocumentBatchStore | null {
    this.roles = []
    return this.documentType === undefined ? null : documentBatchStore(session, this.documentType)
  }

  protected atomsOf(store: DocumentBatchStore): readonly ReadableAtom<unknown>[] {
    return [store.$state]
  }

  get #actions(): readonly BatchAction[] {
    return this.actions.map((action) => actionTexts(action, this.documentType))
  }

  get #dialog(): AskDialog | null {
    return this.shadowRoot?.querySelector<AskDialog>('vk-ask-dialog') ?? null
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, selection, texts } = this
    if (store === null) return nothing
    const isShown = selection.length > 0 || store.$state.get().status !== 'none'
    return html`<section class="stack" aria-label=${texts.actions.batch.title} ?hidden=${!isShown}>
        ${isShown ? this.#view.show((view) => view.batchView(this.#shown(store))) : nothing}
      </section>
      <vk-ask-dialog exportparts=${dialogParts}></vk-ask-dialog>`
  }

  #shown(store: DocumentBatchStore): BatchView {
    return {
      ...{ store, texts: this.texts, actions: this.#actions, roles: this.roles, names: this.#names },
      count: this.selection.length,
      execute: (action) => void this.#execute(store, action),
      retry: (actionCode) => void this.#finish(store, actionCode, store.retry()),
      clear: () => this.tell('vk-batch-clear', null),
    }
  }

  async #execute(store: DocumentBatchStore, action: BatchAction): Promise<void> {
    const chosen = this.selection
    const view = await this.#view.need()
    const answer = (await view?.askAbout(this.#dialog, action)) ?? null
    if (answer === null || store !== this.store) return
    this.#names = new Map(chosen.map(({ id, name }) => [id, name]))
    const items = chosen.map(({ name: _, ...item }) => item)
    await this.#finish(store, action.code, store.execute(action.code, items, answer.reason))
  }

  /** Reports the changed documents, and loads the roles if a document failed. If the page was closed, shows a message instead. */
  async #finish(
    store: DocumentBatchStore,
    actionCode: string,
    ended: Promise<BatchEnd | null>,
  ): Promise<void> {
    this.roles = []
    const { session } = this
    const label = labelOf(this.#actions, actionCode)
    const end = await ended
    if (store !== this.store && session !== undefined && end !== null) {
      const { doneCount, count } = end
      const text = this.texts.actions.batch.done(label, doneCount, count)
      feedbackStore(session).announce({ text, tone: doneCount === count ? 'success' : 'failure' })
    }
    const state = store.$state.get()
    if (store !== this.store || (state.status !== 'done' && state.status !== 'failed')) return
    const results = state.status === 'done' ? state.results : []
    const failed =
      state.status === 'done' ? results.find(({ isDone }) => !isDone)?.id : [...this.#names.keys()][0]
    if (state.status === 'done') {
      this.tell(
        'vk-batch-done',
        results.filter(({ isDone }) => isDone).map(({ id }) => id),
      )
    }
    if (failed === undefined) return
    const roles = (await store.who(state.actionCode, failed)).map(roleName)
    if (store === this.store && store.$state.get() === state) this.roles = roles
  }
}
