import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type DeadLetterRow, type OutboxStore, outboxStore } from '../../stores/administration/index.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import type { OutboxEventHistory } from '../../wire/outbox.ts'
import type { AskDialog } from '../parts/ask-dialog.ts'
import { dialogParts } from '../parts/exported-parts.ts'
import { formatInstantInSeconds } from '../parts/format.ts'
import { listBody } from '../parts/list-body.ts'
import { StoreElement } from '../store-element.ts'
import { errorText } from '../texts.ts'
import { formatSeconds } from './format-seconds.ts'
import { failedChange, focusRendered, loadingContent, scrollingTable } from './parts.ts'
import { administrationStyle } from './style.ts'
import { administrationEnglish, currentTexts } from './texts.ts'

/** Maximum length of a reason in Unicode code points, like in the service. */
const reasonMaxChars = 1_000

/**
 * The pending events and the dead letters, for administrators, who retry or discard them with a reason.
 *
 * @tag vk-outbox
 * @fires {CustomEvent<DoneDetail>} vk-done - The user has changed something.
 * @slot heading - A heading above the content.
 * @slot empty - Replaces the text of an empty list.
 * @csspart badge - A mark of a row, such as its state.
 * @csspart button - Each button.
 * @csspart button-danger - The buttons of dangerous actions. They are also a `button`.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart dialog - Each dialog.
 * @csspart empty - The text of an empty list.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart heading - Each heading.
 * @csspart list - The list of rows.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart row - Each row.
 * @csspart row-actions - The buttons of a row.
 * @csspart row-details - The details below the name of a row.
 * @csspart row-title - The name of a row.
 * @csspart table - Each table.
 */
export class OutboxPanel extends StoreElement<OutboxStore, 'administration'> {
  static override styles = [StoreElement.styles, administrationStyle]
  static override properties: PropertyDeclarations = {
    shown: { attribute: false, state: true },
  }
  /** The dead letter whose attempts are shown. They are undefined while they load, and null if they cannot be loaded. */
  declare protected shown: { readonly id: string; readonly history?: OutboxEventHistory | null } | null
  /** The reason of a repair that has not succeeded, for the next attempt. */
  #unsent: { readonly id: string; readonly value: string } | null = null
  protected override readonly english = administrationEnglish
  protected readonly storeProperties = ['session']

  constructor() {
    super()
    this.shown = null
  }

  protected openStore(session: Session): OutboxStore {
    this.shown = null
    this.#unsent = null
    const store = outboxStore(session)
    void store.load()
    return store
  }

  protected atomsOf(store: OutboxStore): readonly ReadableAtom<unknown>[] {
    return [store.$state, store.$list, store.$rows]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this
    if (store === null) return nothing
    const texts = currentTexts()
    return html`<section class="stack" aria-label=${texts.outbox}>
        <slot name="heading"></slot>
        ${this.#counts(store)}
        <div class="row">
          <h2 part="heading" class="grow">${texts.deadLetters}</h2>
          <button part="button" class="small" data-refresh @click=${() => void store.load()}>${texts.refresh}</button>
        </div>
        ${listBody({
          list: store.$list.get(),
          label: texts.deadLetters,
          row: (letter) => this.#row(store, letter),
          empty: html`<p>${texts.noDeadLetters}</p>`,
          load: () => void store.load(),
          loadMore: () => void store.loadMore(),
        })}
      </section>
      <vk-ask-dialog exportparts=${dialogParts}></vk-ask-dialog>`
  }

  #counts(store: OutboxStore): TemplateResult {
    const texts = currentTexts()
    const { status, consumers, error } = store.$state.get()
    // Counts that were loaded before stay. Then the list shows the error.
    if (error !== null && consumers.length === 0)
      return html`<div part="error" class="banner" role="alert"><span>${errorText(error)}</span></div>`
    if (status === 'loading') return loadingContent()
    return scrollingTable(
      texts.consumers,
      html`<table part="table">
        <thead>
          <tr>
            ${[texts.consumer, texts.pending, texts.oldest, texts.dead].map((name) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${consumers.map(
            ({ consumer, pendingCount, oldestPendingAgeSeconds: age, deadCount }) => html`<tr>
              <th scope="row">${consumer}</th>
              <td>${pendingCount}</td>
              <td>${age === null ? '–' : formatSeconds(age)}</td>
              <td>${deadCount === 0 ? 0 : html`<span part="badge" class="mark danger">${deadCount}</span>`}</td>
            </tr>`,
          )}
        </tbody>
      </table>`,
    )
  }

  #row(store: OutboxStore, letter: DeadLetterRow): TemplateResult {
    const texts = currentTexts()
    const { id, type, subject, consumer, attempts, deadSinceUtc, heldBackCount, lastError } = letter
    const row = store.$rows.get().get(id)
    const isPending = row?.status === 'pending'
    const isShown = this.shown?.id === id
    const button = (how: 'retry' | 'discard') => html`<button
      part="button"
      class="small"
      aria-label="${texts[how]}: ${type} ${subject}"
      aria-disabled=${isPending}
      @click=${() => isPending || void this.#repair(store, letter, how)}
    >
      ${texts[how]}
    </button>`
    return html`<li part="row" data-id=${id} aria-busy=${isPending}>
      <div>
        <p part="row-title" class="title">${type}</p>
        <p part="row-details" class="small muted">${subject} · ${consumer}</p>
        <p class="small"><code>${lastError ?? texts.notEnded}</code></p>
        <p class="row marks small">
          <span>${texts.deadSince(formatInstantInSeconds(deadSinceUtc))}</span>
          ${heldBackCount === 0 ? nothing : html`<span part="badge" class="mark warning">${texts.heldBack(heldBackCount)}</span>`}
        </p>
      </div>
      <div part="row-actions" class="row">
        <button
          part="button"
          class="small"
          aria-label="${texts.attempts(attempts)}: ${type} ${subject}"
          aria-expanded=${isShown}
          @click=${() => void this.#show(store, letter)}
        >
          ${texts.attempts(attempts)}
        </button>
        ${button('retry')} ${button('discard')}
      </div>
      ${isShown ? this.#attempts(consumer) : nothing} ${failedChange(row)}
    </li>`
  }

  async #show(store: OutboxStore, letter: DeadLetterRow): Promise<void> {
    const { id } = letter
    if (this.shown?.id === id) {
      this.shown = null
      return
    }
    this.shown = { id }
    const history = await store.history(letter)
    if (this.shown?.id === id) this.shown = { id, history }
  }

  #attempts(consumer: string): TemplateResult {
    const texts = currentTexts()
    const history = this.shown?.history
    if (history === undefined)
      return html`<p class="wide muted" role="status">${this.texts.common.loading}</p>`
    if (history === null) return html`<p class="wide wrong" role="alert">${texts.historyFailed}</p>`
    return html`<ol class="wide small" aria-label=${texts.showAttempts}>
      ${history.attempts
        .filter((attempt) => attempt.consumer === consumer)
        .map(
          ({ endedAtUtc, outcome, error }) => html`<li>
            <span>${formatInstantInSeconds(endedAtUtc)} · ${texts.outcomes[outcome] ?? outcome}</span>
            ${error === null ? nothing : html`<code class="wide">${error}</code>`}
          </li>`,
        )}
    </ol>`
  }

  async #repair(store: OutboxStore, letter: DeadLetterRow, how: 'retry' | 'discard'): Promise<void> {
    const texts = currentTexts()
    const isRetry = how === 'retry'
    const answer = await this.renderRoot.querySelector<AskDialog>('vk-ask-dialog')?.ask({
      title: isRetry ? texts.retryTitle : texts.discardTitle,
      message: isRetry ? texts.retryMessage : texts.discardMessage(letter.consumer),
      confirmLabel: texts[how],
      isDangerous: !isRetry,
      reason: {
        label: texts.reason,
        missing: texts.reasonMissing,
        tooLong: texts.reasonTooLong,
        maxChars: reasonMaxChars,
        value: this.#unsent?.id === letter.id ? this.#unsent.value : '',
      },
    })
    if (answer?.reason == null || store !== this.store) return
    const index = store.$list.get().items.findIndex(({ id }) => id === letter.id)
    this.#unsent = { id: letter.id, value: answer.reason }
    const { session } = this
    const isDone = await store.repair(letter, how, answer.reason)
    if (isDone) this.#unsent = null
    // Also tells an administrator who has left the view.
    if (session === undefined || session.signal.aborted) return
    if (isDone && isRetry)
      this.report(session, { kind: 'deadLetterRetried', letter }, { text: texts.retried })
    else if (isDone) this.report(session, { kind: 'deadLetterDiscarded', letter }, { text: texts.discarded })
    const row = store.$rows.get().get(letter.id)
    const { items } = store.$list.get()
    const isListed = items.some(({ id }) => id === letter.id)
    // The row with the focus has gone. The next one gets the focus, or the heading's button after the last one.
    if (!isListed && store === this.store) {
      const next = items[Math.min(index, items.length - 1)]?.id
      void focusRendered(this, next === undefined ? '[data-refresh]' : `[data-id="${next}"] button`)
    }
    // A row that is no longer listed cannot show its error.
    if (row?.status === 'failed' && !isListed)
      feedbackStore(session).announce({ text: errorText(row.error), tone: 'failure' })
  }
}
