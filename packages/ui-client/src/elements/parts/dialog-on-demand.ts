import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { isKitError, type KitError } from '../../client/kit-error.ts'
import { type OnDemand, preload } from '../../client/on-demand.ts'
import { sharedTexts } from '../texts.ts'
import { theme } from '../theme.ts'
import { dialogStyle } from './dialog-style.ts'
import { dialogParts } from './exported-parts.ts'
import { loadFailure } from './load-failure.ts'
import { onLeave } from './on-leave.ts'
import type { QuestionDialog } from './question-dialog.ts'

/** The module of a dialog. `createDialog` registers the element of the dialog, and returns a new one. */
export interface DialogModule<Question, Answer> {
  createDialog(): QuestionDialog<Question, Answer>
}

/**
 * The place of a modal dialog that is loaded with its first question, or when the browser is idle. Until then, a small dialog
 * shows that it is loading, or why it could not be loaded, with a button that tries again. Escape cancels.
 */
export abstract class DialogOnDemand<Question, Answer> extends LitElement {
  static override styles = [theme, dialogStyle]
  static override properties: PropertyDeclarations = {
    isWaiting: { attribute: false, state: true },
    error: { attribute: false, state: true },
  }
  protected abstract readonly module: OnDemand<DialogModule<Question, Answer>>
  declare protected isWaiting: boolean
  declare protected error: KitError | null
  #dialog: QuestionDialog<Question, Answer> | null = null
  /** Ends the waiting for the module, because the user cancels or the subject is no longer shown. */
  #cancel: () => void = () => {}

  constructor() {
    super()
    this.isWaiting = false
    this.error = null
  }

  /** Shows the dialog. Resolves with the answer, or with null when the user cancels. */
  async ask(question: Question): Promise<Answer | null> {
    this.withdraw()
    const module = this.module.get() ?? (await this.#load())
    if (module === null) return null
    this.#dialog ??= module.createDialog()
    this.#dialog.setAttribute('exportparts', dialogParts)
    this.renderRoot.append(this.#dialog)
    return this.#dialog.ask(question)
  }

  /** Closes the dialog without an answer. Called when its subject is no longer shown. */
  withdraw(): void {
    this.#cancel()
    this.#dialog?.withdraw()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.withdraw()
  }

  protected override firstUpdated(): void {
    preload(this.module)
  }

  /** Waits for the module. Resolves with null when the user cancels. */
  async #load(): Promise<DialogModule<Question, Answer> | null> {
    const cancelled = Promise.withResolvers<null>()
    const cancel = () => cancelled.resolve(null)
    this.#cancel = cancel
    const loaded = Promise.withResolvers<DialogModule<Question, Answer>>()
    this.#tryAgain = () => {
      this.error = null
      this.module.load().then(loaded.resolve, (error: unknown) => {
        if (isKitError(error)) this.error = error
        else loaded.reject(error)
      })
    }
    this.#tryAgain()
    this.isWaiting = true
    await this.updateComplete
    const dialog = this.renderRoot.querySelector('dialog')
    dialog?.showModal()
    const unobserve = dialog && onLeave(dialog, cancel)
    try {
      return await Promise.race([loaded.promise, cancelled.promise])
    } finally {
      unobserve?.()
      // Another question may have replaced this one. It waits in the same dialog.
      if (this.#cancel === cancel) {
        dialog?.close()
        this.isWaiting = false
      }
    }
  }

  #tryAgain: () => void = () => {}

  protected override render(): TemplateResult | typeof nothing {
    if (!this.isWaiting) return nothing
    const { common } = sharedTexts()
    return html`<dialog part="dialog" aria-label=${common.loading} @cancel=${() => this.#cancel()}>
      <div class="stack">
        ${this.error === null ? html`<p role="status">${common.loading}</p>` : loadFailure(this.error, this.#tryAgain)}
        <div class="row"><button part="button" @click=${() => this.#cancel()}>${common.cancel}</button></div>
      </div>
    </dialog>`
  }
}
