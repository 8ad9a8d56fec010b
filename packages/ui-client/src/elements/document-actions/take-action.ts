import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import { onDemand } from '../../client/on-demand.ts'
import type { Session } from '../../session/session.ts'
import {
  type DocumentActionsStore,
  documentActionsStore,
  type ExecutionOutcome,
} from '../../stores/document-actions.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import type { DocumentAction, EditorState } from '../../wire/documents.ts'
import { type ElementProperties, optional, typeOf } from '../element-property.ts'
import { liveEnglish } from '../live-object/texts.ts'
import type { AskDialog } from '../parts/ask-dialog.ts'
import { dialogParts } from '../parts/exported-parts.ts'
import { partOf } from '../parts/needed-part.ts'
import { actionTexts, roleName } from '../service-texts.ts'
import { StoreElement } from '../store-element.ts'
import { errorText } from '../texts.ts'
import { reasons } from './action-reasons.ts'
import type { CollectPayload } from './collect-payload.ts'
import { executionStatus, progressText } from './execution-status.ts'
import { actionsEnglish } from './texts.ts'

const actionRun = onDemand(() => import('./action-run.ts'))

/**
 * A button that performs one action of a document, such as the primary action of a task. It loads the document when the
 * user clicks, then asks for payload and confirmation like the actions bar. If the action is unavailable, it shows the
 * reasons, and who could perform it. It keeps the key of an attempt with an unknown outcome.
 *
 * @tag vk-take-action
 * @fires {CustomEvent<DoneDetail>} vk-done - The user has changed something.
 * @fires {CustomEvent<ExecutionResult>} vk-executed - An action has been executed.
 * @csspart button - Each button.
 * @csspart button-danger - The buttons of dangerous actions. They are also a `button`.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart dialog - Each dialog.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart heading - Each heading.
 * @csspart notice - A message that is no error.
 */
export class TakeAction extends StoreElement<DocumentActionsStore, 'actions' | 'live'> {
  static override styles = [
    StoreElement.styles,
    // The width of a size container does not depend on its content. This element is as wide as its button.
    css`
      :host {
        display: inline-block;
        max-width: 100%;
        container-type: normal;
      }
      .banner {
        margin-block-start: 0.5rem;
        white-space: normal;
      }
    `,
  ]
  static override properties: ElementProperties = {
    documentType: { attribute: 'document-type', accept: optional },
    documentId: { attribute: 'document-id', accept: optional },
    actionCode: { attribute: 'action-code', accept: optional },
    label: { accept: typeOf('') },
    about: { accept: typeOf('') },
    collectPayload: { attribute: false, accept: optional },
    refusal: { attribute: false, state: true },
  }
  /** The type code of the document. */
  declare documentType: string | undefined
  /** The id of the document. */
  declare documentId: string | undefined
  /** The code of the action. */
  declare actionCode: string | undefined
  /**
   * The text of the button.
   *
   * @default ''
   */
  declare label: string
  /**
   * The name of the task, for screen readers.
   *
   * @default ''
   */
  declare about: string
  /** Called before the confirmation dialog and the execution. */
  declare collectPayload: CollectPayload | undefined
  /** Why the action cannot be performed, or null. */
  declare protected refusal: TemplateResult | null
  protected override readonly english = { ...actionsEnglish, ...liveEnglish }
  protected readonly storeProperties = ['session', 'documentType', 'documentId', 'actionCode']
  readonly #run = partOf(this, actionRun, (module) => module)
  #isAsking = false
  #hadFocus = false
  /** The reason of a failed attempt. */
  #reason: string | null = null

  constructor() {
    super()
    this.refusal = null
  }

  protected openStore(session: Session): DocumentActionsStore | null {
    this.#isAsking = false
    this.refusal = null
    this.#reason = null
    const { documentType: typeCode, documentId: id } = this
    if (typeCode === undefined || id === undefined) return null
    return documentActionsStore(session, { typeCode, id })
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    this.#hadFocus = this.matches(':focus-within')
  }

  protected atomsOf(store: DocumentActionsStore): readonly ReadableAtom<unknown>[] {
    return [store.$state, store.$execution]
  }

  get #dialog(): AskDialog | null {
    return this.shadowRoot?.querySelector<AskDialog>('vk-ask-dialog') ?? null
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    if (store === null) return nothing
    const execution = store.$execution.get()
    const { status, state } = store.$state.get()
    const actions = (state?.actions ?? []).map((one) => actionTexts(one, this.documentType))
    const isExecuting = execution.status === 'executing'
    return html`<button
        part="button button-primary"
        class="small primary"
        data-action=${this.actionCode ?? nothing}
        aria-label=${this.about === '' ? nothing : `${this.label}: ${this.about}`}
        aria-busy=${isExecuting || status === 'loading'}
        aria-disabled=${isExecuting}
        @click=${() => void this.take()}
      >
        ${isExecuting ? progressText({ code: execution.actionCode, label: this.label }, texts) : this.label}
      </button>
      ${
        this.refusal === null
          ? nothing
          : html`<div part="error" class="banner small" role="alert">
              <div>${this.refusal}</div>
              <button
                part="button"
                class="small"
                @click=${() => {
                  this.refusal = null
                }}
              >
                ${texts.common.close}
              </button>
            </div>`
      }
      ${
        execution.status === 'failed'
          ? this.#run.show((run) =>
              run.executionBanner({
                ...{ execution, actions, texts, isCurrent: store.$state.get().status === 'ready' },
                retry: (label) => void this.#finish(store, label, store.retry()),
                dismiss: () => store.dismiss(),
              }),
            )
          : this.#run.failure()
      }
      <p class="visually-hidden" role="status">${executionStatus(execution, actions, texts)}</p>
      <vk-ask-dialog exportparts=${dialogParts}></vk-ask-dialog>`
  }

  /** Whether an execution has not succeeded yet. Keep the element until then: it shows the outcome. */
  isExecuting(): boolean {
    const status = this.store?.$execution.get().status
    return status === 'executing' || status === 'failed'
  }

  /** Marks an element with a message, so that a row can make room for it. */
  protected override updated(): void {
    // The button that had the focus was part of a message that is closed.
    if (this.#hadFocus && this.shadowRoot?.activeElement === null)
      this.renderRoot.querySelector<HTMLElement>('[data-action]')?.focus()
    this.toggleAttribute('has-message', this.renderRoot.querySelector('.banner') !== null)
  }

  /** Performs the action as if the user had clicked the button. Does nothing while the action is running. */
  async take(): Promise<void> {
    const { store } = this
    if (store === null || this.#isAsking || store.$execution.get().status === 'executing') return
    this.#isAsking = true
    this.refusal = null
    try {
      await this.#load(store)
    } finally {
      this.#isAsking = false
    }
  }

  async #load(store: DocumentActionsStore): Promise<void> {
    await store.load()
    if (store !== this.store) return
    const shown = store.$state.get()
    if (shown.status === 'failed') this.refusal = html`<p>${errorText(shown.error)}</p>`
    if (shown.status !== 'ready') return
    const action = shown.state.actions.find(({ code }) => code === this.actionCode)
    if (action?.isAllowed === true)
      await this.#perform(store, actionTexts(action, this.documentType), shown.state)
    else await this.#refuse(store, action)
  }

  async #perform(store: DocumentActionsStore, action: DocumentAction, state: EditorState): Promise<void> {
    const run = await this.#run.need()
    if (run === null || store !== this.store) return
    const input = await run.askForInput({
      ...{
        store,
        action,
        state,
        collectPayload: this.collectPayload,
        dialog: this.#dialog,
      },
      earlierReason: this.#reason ?? '',
      isWanted: () => store === this.store,
    })
    if (input === null || store !== this.store) return
    this.#reason = input.reason
    const expectedVersion = state.documentVersion
    await this.#finish(store, action.label, store.execute(action.code, { ...input, expectedVersion }))
  }

  /** Reports the result. If the element no longer shows the document, shows a failure as a message. */
  async #finish(
    store: DocumentActionsStore,
    label: string,
    executing: Promise<ExecutionOutcome | null>,
  ): Promise<void> {
    const { session } = this
    const ended = await executing
    if (ended === null || session === undefined) return
    const run = await this.#run.need()
    if (run === null) return
    const { text, result } = run.executionMessage(ended, label)
    if (result === null) {
      if (store !== this.store) feedbackStore(session).announce({ text, tone: 'failure' })
      return
    }
    this.report(session, { kind: 'actionExecuted', result }, { text })
    this.#reason = null
    if (store === this.store) this.tell('vk-executed', result)
  }

  /** Shows the reasons of an unavailable action, or that the user may not perform it. */
  async #refuse(store: DocumentActionsStore, action: DocumentAction | undefined): Promise<void> {
    const { texts, actionCode = '' } = this
    const roles = (await store.who(actionCode)).map(roleName)
    if (store !== this.store) return
    this.refusal =
      action === undefined
        ? html`<p>${texts.actions.notAllowed}</p>
            ${roles.length === 0 ? nothing : html`<p>${texts.actions.roles(roles)}</p>`}`
        : reasons(action, texts, roles)
  }
}
