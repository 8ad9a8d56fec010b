import { html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import { onDemand } from '../../client/on-demand.ts'
import type { Session } from '../../session/session.ts'
import {
  type DocumentActionsStore,
  documentActionsStore,
  type Execution,
  type ExecutionOutcome,
} from '../../stores/document-actions.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import type { DocumentAction } from '../../wire/documents.ts'
import { type ElementProperties, optional, typeOf } from '../element-property.ts'
import { liveEnglish } from '../live-object/texts.ts'
import type { AskDialog } from '../parts/ask-dialog.ts'
import { dialogParts } from '../parts/exported-parts.ts'
import { loadFailure } from '../parts/load-failure.ts'
import { partOf } from '../parts/needed-part.ts'
import { hidePopover } from '../parts/popover.ts'
import { actionTexts, roleName } from '../service-texts.ts'
import { StoreElement } from '../store-element.ts'
import type { ActionIcons } from './action-icons.ts'
import type { ActionInput } from './action-run.ts'
import { actionsRow } from './actions-row.ts'
import { barStyle } from './bar-style.ts'
import type { CollectPayload } from './collect-payload.ts'
import { executionStatus } from './execution-status.ts'
import { fittingCount, inOrder } from './fitting-actions.ts'
import { actionsEnglish } from './texts.ts'

const actionRun = onDemand(() => import('./action-run.ts'))

/**
 * The actions that the user can execute on a document, with their confirmation dialogs and results. The next steps are
 * buttons. The "More" menu contains dangerous actions, and unavailable ones with their reasons.
 *
 * @tag vk-document-actions
 * @fires {CustomEvent<DoneDetail>} vk-done - The user has changed something.
 * @fires {CustomEvent<ExecutionResult>} vk-executed - An action has been executed.
 * @fires {CustomEvent<NavigationTarget>} vk-navigate - The user opens a place with an action.
 * @slot actions - Your own buttons in the bar.
 * @csspart button - Each button.
 * @csspart button-danger - The buttons of dangerous actions. They are also a `button`.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart dialog - Each dialog.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart heading - Each heading.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart menu - The menu of the actions that do not fit.
 * @csspart notice - A message that is no error.
 * @csspart toolbar - The bar of buttons.
 */
export class ActionsBar extends StoreElement<DocumentActionsStore, 'actions' | 'live'> {
  static override styles = [StoreElement.styles, barStyle]
  static override properties: ElementProperties = {
    documentType: { attribute: 'document-type', accept: optional },
    documentId: { attribute: 'document-id', accept: optional },
    collectPayload: { attribute: false, accept: optional },
    icons: { attribute: false, accept: typeOf({}) },
    fitting: { attribute: false, state: true },
    roles: { attribute: false, state: true },
  }
  /** The type code of the document. */
  declare documentType: string | undefined
  /** The id of the document. */
  declare documentId: string | undefined
  /** Called before the confirmation dialog and the execution of an action. */
  declare collectPayload: CollectPayload | undefined
  /**
   * Icons of the page's own actions, by the `icon` of the action.
   *
   * @default {}
   */
  declare icons: ActionIcons
  /** How many buttons fit in the bar. */
  declare protected fitting: number
  /** The names of the roles that could perform an unavailable action, by code. Loaded when its reasons are shown. */
  declare protected roles: ReadonlyMap<string, readonly string[]>
  protected override readonly english = { ...actionsEnglish, ...liveEnglish }
  protected readonly storeProperties = ['session', 'documentType', 'documentId']
  readonly #resizing = new ResizeObserver(() => this.#fit())
  readonly #run = partOf(this, actionRun, (module) => module)
  #isAsking = false
  #hadFocus = false
  /** The reason that the user entered for a failed attempt. The next dialog shows this reason again. */
  #reason: { readonly code: string; readonly text: string } | null = null

  constructor() {
    super()
    this.fitting = 0
    this.roles = new Map()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#resizing.observe(this)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#resizing.disconnect()
  }

  protected openStore(session: Session): DocumentActionsStore | null {
    // A pending `collectPayload` for the previous document may never resolve, so reset the state here.
    this.#isAsking = false
    this.#reason = null
    this.roles = new Map()
    const { documentType: typeCode, documentId: id } = this
    if (typeCode === undefined || id === undefined) return null
    const store = documentActionsStore(session, { typeCode, id })
    void store.load()
    return store
  }

  protected atomsOf(store: DocumentActionsStore): readonly ReadableAtom<unknown>[] {
    return [store.$state, store.$execution]
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    super.willUpdate(changed)
    this.#hadFocus = this.shadowRoot?.activeElement?.matches('button') ?? false
  }

  protected override updated(): void {
    // In a microtask, because a change during an update would be reported by Lit as a mistake.
    queueMicrotask(() => this.#fit())
    // The button that had the focus may have moved to the "More" menu.
    if (this.#hadFocus && this.shadowRoot?.activeElement === null) {
      this.renderRoot.querySelector<HTMLElement>('.bar button')?.focus()
    }
  }

  get #dialog(): AskDialog | null {
    return this.shadowRoot?.querySelector<AskDialog>('vk-ask-dialog') ?? null
  }

  get #actions(): readonly DocumentAction[] {
    const actions = inOrder(this.store?.$state.get().state?.actions ?? [])
    return actions.map((action) => actionTexts(action, this.documentType))
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    if (store === null) return nothing
    const execution = store.$execution.get()
    return html`<section class="stack" aria-label=${texts.actions.title} @slotchange=${() => this.#fit()}>
        ${this.#bar(store)}
        ${execution.status === 'failed' ? this.#banner(store, execution) : this.#run.failure()}
        <p class="visually-hidden" role="status">${executionStatus(execution, this.#actions, texts)}</p>
      </section>
      <vk-ask-dialog exportparts=${dialogParts}></vk-ask-dialog>`
  }

  #banner(store: DocumentActionsStore, execution: Execution): unknown {
    const isCurrent = store.$state.get().status === 'ready'
    const shown = { execution, actions: this.#actions, isCurrent, texts: this.texts }
    const retry = (label: string) => void this.#finish(store, label, store.retry())
    return this.#run.show((run) => run.executionBanner({ ...shown, retry, dismiss: () => store.dismiss() }))
  }

  #bar(store: DocumentActionsStore): TemplateResult {
    const { actions: texts, common } = this.texts
    const shown = store.$state.get()
    const failure = shown.status === 'failed' ? loadFailure(shown.error, store.load) : nothing
    if (shown.state === null) {
      return shown.status === 'failed'
        ? html`${failure}`
        : html`<div part="loading" class="skeleton" role="status" aria-label=${common.loading}></div>`
    }
    const actions = this.#actions
    if (actions.length === 0)
      return html`${failure}
        <div part="toolbar" class="bar"><p class="muted">${texts.none}</p><slot name="actions"></slot></div>`
    const execution = store.$execution.get()
    return html`${failure}
      ${actionsRow({
        actions,
        fitting: this.fitting,
        executingCode: execution.status === 'executing' ? execution.actionCode : null,
        texts: this.texts,
        icons: this.icons,
        act: (action) => void this.#act(action, store),
        roles: this.roles,
        showRoles: (action) => void this.#showRoles(action, store),
      })}`
  }

  /** Moves the focus out of the menu, then hides the menu. A later dialog can then return the focus to a visible button. */
  #closeMenu(): void {
    const menu = this.renderRoot.querySelector<HTMLElement>('#menu:popover-open')
    if (menu === null) return
    this.renderRoot.querySelector<HTMLElement>('.more')?.focus()
    hidePopover(menu)
  }

  /** Measures invisible copies of the buttons, so that the result does not depend on the buttons that are visible now. */
  #fit(): void {
    const ruler = this.shadowRoot?.querySelectorAll('.ruler button')
    if (ruler === undefined || ruler.length === 0) return
    const widths = [...ruler].map((button) => button.getBoundingClientRect().width)
    const moreButton = widths.pop() ?? 0
    const gap = 8
    const own = this.renderRoot.querySelector('slot')?.assignedElements() ?? []
    const taken = own.reduce((sum, element) => sum + element.getBoundingClientRect().width + gap, 0)
    const isMoreNeeded = this.#actions.length > widths.length
    const available = this.clientWidth - taken
    this.fitting = fittingCount({ available, gap, moreButton, buttons: widths, isMoreNeeded })
  }

  async #act(action: DocumentAction, store: DocumentActionsStore): Promise<void> {
    this.#closeMenu()
    if (action.executionKind === 'Navigation' || action.executionKind === 'View') {
      if (action.target !== null) this.navigate(action.target)
      return
    }
    if (this.#isAsking || store.$execution.get().status === 'executing') return
    // The user decides about the version that is shown now, even if a newer version is loaded during the dialog.
    const expectedVersion = store.$state.get().state?.documentVersion
    const answer = await this.#ask(action, store)
    if (answer === null || expectedVersion === undefined || store !== this.store) return
    this.#reason = answer.reason === null ? null : { code: action.code, text: answer.reason }
    await this.#finish(store, action.label, store.execute(action.code, { ...answer, expectedVersion }))
  }

  /** Reports the result. If the user has left the document, shows a failure as a message. */
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
    if (store !== this.store) return
    this.#reason = null
    this.tell('vk-executed', result)
  }

  async #showRoles({ code }: DocumentAction, store: DocumentActionsStore): Promise<void> {
    const names = (await store.who(code)).map(roleName)
    if (store === this.store && names.length > 0) this.roles = new Map(this.roles).set(code, names)
  }

  /** Resolves with the payload and reason for an action, or with null when the user cancels. */
  async #ask(action: DocumentAction, store: DocumentActionsStore): Promise<ActionInput | null> {
    this.#isAsking = true
    try {
      const { state } = store.$state.get()
      const run = await this.#run.need()
      if (run === null || state === null) return null
      return await run.askForInput({
        ...{
          store,
          action,
          state,
          collectPayload: this.collectPayload,
          dialog: this.#dialog,
        },
        earlierReason: this.#reason?.code === action.code ? this.#reason.text : '',
        isWanted: () => store === this.store,
      })
    } finally {
      this.#isAsking = false
    }
  }
}
