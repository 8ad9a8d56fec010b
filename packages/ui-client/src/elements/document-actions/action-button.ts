import { html, nothing, type TemplateResult } from 'lit'
import type { DocumentAction } from '../../wire/documents.ts'
import type { TextsOf } from '../texts.ts'
import { type ActionIcons, actionIcon } from './action-icons.ts'
import { reasons } from './action-reasons.ts'
import { progressText } from './execution-status.ts'

export interface ActionButton {
  readonly action: DocumentAction
  readonly isExecuting: boolean
  readonly texts: TextsOf<'actions'>
  readonly icons: ActionIcons
  readonly act: () => void
  /** The names of the roles that could perform an unavailable action; empty until they are loaded. */
  readonly roles: readonly string[]
}

/** Renders a button of the bar. Its action is available. */
export function actionButton(button: ActionButton): TemplateResult {
  const { code, description, kind } = button.action
  return html`<button
    part=${kind === 'Primary' ? 'button button-primary' : 'button'}
    class=${kind === 'Primary' ? 'primary' : ''}
    data-action=${code}
    title=${description === '' ? nothing : description}
    aria-busy=${button.isExecuting ? 'true' : nothing}
    @click=${button.act}
  >
    ${face(button)}
  </button>`
}

/** Renders the icon and the text of a button. The button keeps its width while its action is in progress. */
export function face({
  action,
  isExecuting,
  texts,
  icons,
}: Pick<ActionButton, 'action' | 'isExecuting' | 'texts' | 'icons'>): TemplateResult {
  const progress = progressText(action, texts)
  const [shown, other] = isExecuting ? [progress, action.label] : [action.label, progress]
  return html`<span class="face" data-other=${other}><span>${actionIcon(action, icons)}${shown}</span></span>`
}

/**
 * Renders an item of the "More" menu. An unavailable item can still receive the focus. The menu shows its reasons, and screen
 * readers read them.
 */
export function actionMenuItem(button: ActionButton): TemplateResult {
  const { action, isExecuting, texts, act, roles } = button
  const { code, kind, isAllowed } = action
  const why = `why-${code}`
  return html`<li>
    <button
      part=${kind === 'Dangerous' ? 'button button-danger' : 'button'}
      class="quiet ${kind === 'Dangerous' ? 'danger' : ''}"
      data-action=${code}
      aria-disabled=${isAllowed ? nothing : 'true'}
      aria-describedby=${isAllowed ? nothing : why}
      aria-busy=${isExecuting ? 'true' : nothing}
      @click=${isAllowed ? act : nothing}
    >
      ${face(button)}
    </button>
    ${isAllowed ? nothing : html`<div id=${why} class="why small muted">${reasons(action, texts, roles)}</div>`}
  </li>`
}
