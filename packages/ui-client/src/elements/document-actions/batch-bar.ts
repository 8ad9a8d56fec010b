import { html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import {
  type BatchEnd,
  type BatchOutcome,
  type DocumentBatchState,
  type DocumentBatchStore,
  documentBatchStore,
} from '../../stores/document-batch.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import type { DocumentAction } from '../../wire/documents.ts'
import { type ElementProperties, optional, typeOf } from '../element-property.ts'
import type { AskDialog } from '../parts/ask-dialog.ts'
import { dialogParts } from '../parts/exported-parts.ts'
import { actionTexts, reasonText, roleName } from '../service-texts.ts'
import { StoreElement } from '../store-element.ts'
import { errorText } from '../texts.ts'
import { askAbout } from './action-question.ts'
import { batchStyle } from './batch-style.ts'
import { actionsEnglish } from './texts.ts'

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
 * @csspart dialog - Each modal dialog.
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
  /** The names of the documents of the running or shown batch. */
  #names: ReadonlyMap<string, string> = new Map()

  constructor() {
    super()
    this.roles = []
  }

  protected openStore(session: Session): DocumentBatchStore | null {
    this.#dialog?.withdraw()
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
    const state = store.$state.get()
    const isShown = selection.length > 0 || state.status !== 'none'
    return html`<section class="stack" aria-label=${texts.actions.batch.title} ?hidden=${!isShown}>
        ${selection.length > 0 ? this.#bar(store, state) : nothing}
        <div class=${state.status === 'executing' || state.status === 'done' ? 'row' : 'visually-hidden'}>
          ${state.status === 'executing' ? this.#progress(state) : nothing}
          <p role="status">${this.#status(state)}</p>
        </div>
        ${this.#outcome(store, state)}
      </section>
      <vk-ask-dialog exportparts=${dialogParts}></vk-ask-dialog>`
  }

  #bar(store: DocumentBatchStore, state: DocumentBatchState): TemplateResult {
    const { batch } = this.texts.actions
    const isExecuting = state.status === 'executing'
    const count = this.selection.length
    return html`<div part="toolbar" class="row">
      <span>${batch.selected(count)}</span>
      ${this.#actions.map(
        (action) =>
          html`<button
            part=${action.kind === 'Primary' ? 'button button-primary' : 'button'}
            class=${action.kind === 'Primary' ? 'primary' : ''}
            data-action=${action.code}
            aria-disabled=${isExecuting ? 'true' : nothing}
            @click=${() => isExecuting || void this.#execute(store, action)}
          >
            ${batch.button(action.label, count)}
          </button>`,
      )}
      <button part="button" class="quiet" @click=${() => this.tell('vk-batch-clear', null)}>${batch.clear}</button>
      <slot name="actions"></slot>
    </div>`
  }

  #progress({
    actionCode,
    doneCount,
    count,
  }: Extract<DocumentBatchState, { status: 'executing' }>): TemplateResult {
    const label = this.#labelOf(actionCode)
    // Without a value, before the first answer, the browser shows that the progress is unknown.
    const value = doneCount === 0 ? nothing : doneCount
    return html`<progress part="progress" aria-label=${label} max=${count} value=${value}></progress>`
  }

  #status(state: DocumentBatchState): string {
    const { batch } = this.texts.actions
    if (state.status === 'none' || state.status === 'failed') return ''
    const label = this.#labelOf(state.actionCode)
    if (state.status === 'executing') return batch.executing(label, state.doneCount, state.count)
    return batch.done(label, state.results.filter(({ isDone }) => isDone).length, state.results.length)
  }

  #outcome(store: DocumentBatchStore, state: DocumentBatchState): TemplateResult | typeof nothing {
    const { actions, common } = this.texts
    if (state.status === 'none' || state.status === 'executing') return nothing
    const failures = state.status === 'done' ? state.results.filter(({ isDone }) => !isDone) : []
    if (state.status === 'done' && failures.length === 0) return nothing
    const isRetriable =
      state.status === 'failed' ? state.isRetriable : failures.some(({ isUnfinished }) => isUnfinished)
    return html`<div part="error" class="banner">
      <div class="stack">
        ${
          state.status === 'failed'
            ? html`<p role="alert">${actions.failed(this.#labelOf(state.actionCode))} ${errorText(state.error)}</p>`
            : this.#failures(failures)
        }
        ${this.roles.length === 0 ? nothing : html`<p><bdi>${actions.roles(this.roles)}</bdi></p>`}
      </div>
      ${
        isRetriable
          ? html`<button
              part="button"
              class="small"
              @click=${() => void this.#finish(store, state.actionCode, store.retry())}
            >
              ${actions.batch.resume}
            </button>`
          : nothing
      }
      <button part="button" class="small" @click=${() => store.dismiss()}>${common.close}</button>
    </div>`
  }

  #failures(failures: readonly BatchOutcome[]): TemplateResult {
    // Only the number is announced: a list of hundreds of documents would be read to its end.
    return html`<p role="alert"><strong>${this.texts.actions.batch.failures(failures.length)}</strong></p>
      <ul>
        ${failures.map(
          ({ id, reasons }) =>
            html`<li><bdi>${this.#names.get(id) ?? id}</bdi>: ${reasons.map(reasonText).join(' ')}</li>`,
        )}
      </ul>`
  }

  #labelOf(actionCode: string): string {
    return this.#actions.find(({ code }) => code === actionCode)?.label ?? actionCode
  }

  async #execute(store: DocumentBatchStore, action: BatchAction): Promise<void> {
    const chosen = this.selection
    const answer = await askAbout(this.#dialog, action, this.texts)
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
    const label = this.#labelOf(actionCode)
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
