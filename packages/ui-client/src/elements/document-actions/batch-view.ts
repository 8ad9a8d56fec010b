import { html, nothing, type TemplateResult } from 'lit'
import type { BatchOutcome, DocumentBatchState, DocumentBatchStore } from '../../stores/document-batch.ts'
import { leavingButton } from '../parts/focus.ts'
import { reasonText } from '../service-texts.ts'
import { errorText, type TextsOf } from '../texts.ts'
import type { BatchAction } from './batch-bar.ts'
import { labelOf } from './execution-status.ts'
import { runTextsNow } from './run-texts.ts'

export { askAbout } from './action-question.ts'

export interface BatchView {
  readonly store: DocumentBatchStore
  readonly texts: TextsOf<'actions'>
  readonly actions: readonly BatchAction[]
  /** The number of selected documents. */
  readonly count: number
  /** The names of the roles that could perform the action of the shown results. */
  readonly roles: readonly string[]
  /** The names of the documents of the running or shown batch. */
  readonly names: ReadonlyMap<string, string>
  execute(action: BatchAction): void
  /** Sends the unfinished requests of an action again. */
  retry(actionCode: string): void
  clear(): void
}

/** Renders the actions for the selected documents, then the progress and the outcome of a batch. */
export function batchView(view: BatchView): TemplateResult {
  const state = view.store.$state.get()
  const hasStatus = state.status === 'executing' || state.status === 'done'
  return html`${view.count > 0 ? bar(view, state) : nothing}
    <div class=${hasStatus ? 'row' : 'visually-hidden'}>
      ${state.status === 'executing' ? progress(view, state) : nothing}
      <p role="status">${status(view, state)}</p>
    </div>
    ${outcome(view, state)}`
}

function bar(
  { texts, actions, count, execute, clear }: BatchView,
  state: DocumentBatchState,
): TemplateResult {
  const { batch } = texts.actions
  const isExecuting = state.status === 'executing'
  return html`<div part="toolbar" class="row">
    <span>${batch.selected(count)}</span>
    ${actions.map(
      (action) =>
        html`<button
          part=${action.kind === 'Primary' ? 'button button-primary' : 'button'}
          class=${action.kind === 'Primary' ? 'primary' : ''}
          data-action=${action.code}
          aria-disabled=${isExecuting ? 'true' : nothing}
          @click=${() => isExecuting || execute(action)}
        >
          ${batch.button(action.label, count)}
        </button>`,
    )}
    <button part="button" class="quiet" @click=${clear}>${batch.clear}</button>
    <slot name="actions"></slot>
  </div>`
}

function progress(
  { actions }: BatchView,
  { actionCode, doneCount, count }: Extract<DocumentBatchState, { status: 'executing' }>,
): TemplateResult {
  // Without a value, before the first answer, the browser shows that the progress is unknown.
  const value = doneCount === 0 ? nothing : doneCount
  return html`<progress part="progress" aria-label=${labelOf(actions, actionCode)} max=${count} value=${value}></progress>`
}

function status({ texts, actions }: BatchView, state: DocumentBatchState): string {
  const { batch } = texts.actions
  if (state.status === 'none' || state.status === 'failed') return ''
  const label = labelOf(actions, state.actionCode)
  if (state.status === 'executing') return batch.executing(label, state.doneCount, state.count)
  return batch.done(label, state.results.filter(({ isDone }) => isDone).length, state.results.length)
}

function outcome(view: BatchView, state: DocumentBatchState): TemplateResult | typeof nothing {
  const { actions: texts, common } = view.texts
  if (state.status === 'none' || state.status === 'executing') return nothing
  const failures = state.status === 'done' ? state.results.filter(({ isDone }) => !isDone) : []
  if (state.status === 'done' && failures.length === 0) return nothing
  const isRetriable =
    state.status === 'failed' ? state.isRetriable : failures.some(({ isUnfinished }) => isUnfinished)
  return html`<div part="error" class="banner">
    <div class="stack">
      ${
        state.status === 'failed'
          ? html`<p role="alert">${runTextsNow().failed(labelOf(view.actions, state.actionCode))} ${errorText(state.error)}</p>`
          : failureList(view, failures)
      }
      ${view.roles.length === 0 ? nothing : html`<p><bdi>${texts.roles(view.roles)}</bdi></p>`}
    </div>
    ${
      isRetriable
        ? html`<button part="button" class="small" @click=${leavingButton(() => view.retry(state.actionCode))}>${texts.batch.resume}</button>`
        : nothing
    }
    <button part="button" class="small" @click=${leavingButton(() => view.store.dismiss())}>${common.close}</button>
  </div>`
}

function failureList({ texts, names }: BatchView, failures: readonly BatchOutcome[]): TemplateResult {
  // Only the number is announced: a list of hundreds of documents would be read to its end.
  return html`<p role="alert"><strong>${texts.actions.batch.failures(failures.length)}</strong></p>
    <ul>
      ${failures.map(
        ({ id, reasons }) =>
          html`<li><bdi>${names.get(id) ?? id}</bdi>: ${reasons.map(reasonText).join(' ')}</li>`,
      )}
    </ul>`
}
