import { html, nothing, type TemplateResult } from 'lit'
import type { DocumentAction } from '../../wire/documents.ts'
import { hidePopover, showTip } from '../parts/popover.ts'
import type { TextsOf } from '../texts.ts'
import { progressText } from './execution-text.ts'

export interface ActionButton {
  readonly action: DocumentAction
  readonly isExecuting: boolean
  readonly texts: TextsOf<'actions'>
  readonly act: () => void
  /** The names of the roles that could perform an unavailable action; empty until they are loaded. */
  readonly roles: readonly string[]
  /** Called when the reasons are shown. */
  readonly showRoles: () => void
}

const styleOf = { Primary: 'primary', Secondary: '', Dangerous: 'danger' } as const

/**
 * Renders a button of the bar. An unavailable button can still receive the focus. It shows its reasons on hover, focus and
 * tap, and screen readers read the reasons.
 */
export function actionButton(button: ActionButton): TemplateResult {
  const { action, isExecuting, texts, act, roles, showRoles } = button
  const { code, description, kind, isAllowed } = action
  const why = `why-${code}`
  const explain = (event: Event): void => {
    showReasons(event)
    if (!isAllowed) showRoles()
  }
  return html`<span
    @pointerenter=${explain}
    @pointerleave=${hideReasons}
    @focusin=${explain}
    @focusout=${hideReasons}
  >
    <button
      class=${styleOf[kind]}
      data-action=${code}
      title=${isAllowed && description !== '' ? description : nothing}
      aria-disabled=${isAllowed ? nothing : 'true'}
      aria-describedby=${isAllowed ? nothing : why}
      aria-busy=${isExecuting ? 'true' : nothing}
      @click=${isAllowed ? act : showReasons}
    >
      ${face({ action, isExecuting, texts })}
    </button>
    ${
      isAllowed
        ? nothing
        : html`<div id=${why} class="tip" role="tooltip" popover="manual">${reasons(action, texts, roles)}</div>`
    }
  </span>`
}

/** Renders the text of a button. The button keeps its width while its action is in progress. */
export function face({
  action,
  isExecuting,
  texts,
}: Pick<ActionButton, 'action' | 'isExecuting' | 'texts'>): TemplateResult {
  const progress = progressText(action, texts)
  const [shown, other] = isExecuting ? [progress, action.label] : [action.label, progress]
  return html`<span class="face" data-other=${other}>${shown}</span>`
}

/** Renders an item of the "More" menu. The menu always shows the reasons, because it has enough room for them. */
export function actionMenuItem({ action, isExecuting, texts, act, roles }: ActionButton): TemplateResult {
  const { code, kind, isAllowed } = action
  const why = `why-${code}`
  return html`<li>
    <button
      class="quiet ${kind === 'Dangerous' ? 'danger' : ''}"
      data-action=${code}
      aria-disabled=${isAllowed ? nothing : 'true'}
      aria-describedby=${isAllowed ? nothing : why}
      aria-busy=${isExecuting ? 'true' : nothing}
      @click=${isAllowed ? act : nothing}
    >
      ${face({ action, isExecuting, texts })}
    </button>
    ${isAllowed ? nothing : html`<div id=${why} class="why small muted">${reasons(action, texts, roles)}</div>`}
  </li>`
}

/** Renders the reasons against an action, what would lift them, and the roles that could perform the action. */
export const reasons = (
  { disabledReasons }: Pick<DocumentAction, 'disabledReasons'>,
  { actions }: TextsOf<'actions'>,
  roles: readonly string[],
): TemplateResult =>
  html`<p class="visually-hidden">${actions.unavailable}</p>
    ${disabledReasons.map(
      ({ message, remedy }) => html`<p>${message}${remedy === null ? nothing : html` ${remedy.message}`}</p>`,
    )}
    ${roles.length === 0 ? nothing : html`<p><bdi>${actions.roles(roles)}</bdi></p>`}`

function tipOf(event: Event): { tip: HTMLElement; slot: HTMLElement } | null {
  const slot = (event.currentTarget as HTMLElement).closest('span')
  const tip = slot?.querySelector<HTMLElement>('.tip')
  return slot == null || tip == null ? null : { tip, slot }
}

function showReasons(event: Event): void {
  const found = tipOf(event)
  if (found !== null) showTip(found.tip, found.slot)
}

/** Hides the reasons when a mouse leaves. On touch screens, lifting a finger also fires this event: keep the reasons. */
function hideReasons(event: Event): void {
  if (event instanceof PointerEvent && event.pointerType !== 'mouse') return
  const found = tipOf(event)
  if (found !== null) hidePopover(found.tip)
}
