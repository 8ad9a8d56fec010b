import { html, nothing, type TemplateResult } from 'lit'
import type { KitError } from '../../client/kit-error.ts'
import type { Execution } from '../../stores/document-actions.ts'
import type { DocumentAction } from '../../wire/documents.ts'
import { describeChange } from '../live-object/describe-change.ts'
import { reasonText } from '../service-texts.ts'
import { errorText, type TextsOf } from '../texts.ts'
import { labelOf } from './execution-status.ts'
import { isUncertain } from './execution-text.ts'
import { runTextsNow } from './run-texts.ts'

export interface ExecutionBanner {
  readonly execution: Execution
  /** The current actions. After a refusal, they contain the reasons why an action is unavailable. */
  readonly actions: readonly DocumentAction[]
  /** Whether the document is loaded: not while it loads, and not after a failed load. */
  readonly isCurrent: boolean
  readonly texts: TextsOf<'actions' | 'live'>
  /** Called with the label of the failed action. */
  readonly retry: (label: string) => void
  readonly dismiss: () => void
}

/** Renders the error of a failed action, and the buttons to retry the action or dismiss the error. */
export function executionBanner(input: ExecutionBanner): TemplateResult | typeof nothing {
  const { execution, actions, isCurrent, texts, retry, dismiss } = input
  if (execution.status !== 'failed') return nothing
  const { actionCode, error, isRetriable, conflict } = execution
  const label = labelOf(actions, actionCode)
  const run = runTextsNow()
  // Asks for another attempt only if the document is refreshed and still has the action.
  const canReview = isCurrent && actions.some(({ code }) => code === actionCode)
  const isNotice = isRetriable && isUncertain(error)
  const lines = [
    isNotice ? run.uncertain(label) : run.failed(label),
    errorText(error),
    conflict === undefined ? null : describeChange(conflict, texts),
    ...reasonsOf(error, actions),
    ...error.errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)),
    isNotice ? run.uncertainHint : isOutdated(error) && canReview ? run.outdatedHint : null,
  ].filter(Boolean)
  return html`<div part=${isNotice ? 'notice' : 'error'} class="banner ${isNotice ? 'warning' : ''}" role="alert">
    <div>${lines.map((line) => html`<p>${line}</p>`)}</div>
    ${isRetriable ? html`<button part="button" class="small" @click=${() => retry(label)}>${texts.common.retry}</button>` : nothing}
    <button part="button" class="small" @click=${dismiss}>${texts.common.close}</button>
  </div>`
}

const isOutdated = ({ code }: KitError): boolean => code === 'documents.version_conflict'

/** Returns the messages for the error's reason codes. Omits reasons that no longer apply. */
function reasonsOf({ context }: KitError, actions: readonly DocumentAction[]): readonly string[] {
  const codes: unknown = context['reasonCodes']
  if (!Array.isArray(codes)) return []
  const reasons = actions.flatMap(({ disabledReasons }) => disabledReasons)
  return reasons.filter(({ code }) => codes.includes(code)).map(reasonText)
}
