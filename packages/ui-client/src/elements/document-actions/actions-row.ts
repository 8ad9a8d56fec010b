import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { DocumentAction } from '../../wire/documents.ts'
import { chevronDownIcon } from '../parts/icons.ts'
import { placePopover } from '../parts/popover.ts'
import type { TextsOf } from '../texts.ts'
import { actionButton, actionMenuItem, face } from './action-button.ts'

export interface ActionsRow {
  readonly actions: readonly DocumentAction[]
  /** The codes of the actions with a button in the bar. All other actions are in the "More" menu. */
  readonly fitting: ReadonlySet<string>
  /** The code of the action in progress, or null. */
  readonly executingCode: string | null
  readonly texts: TextsOf<'actions'>
  readonly act: (action: DocumentAction) => void
  /** The names of the roles that could perform an action, by code, as far as they are loaded. */
  readonly roles: ReadonlyMap<string, readonly string[]>
  /** Called when the reasons of an unavailable action are shown. */
  readonly showRoles: (action: DocumentAction) => void
}

/** Renders the buttons in the bar, and an invisible copy of all buttons to measure their widths. */
export function actionsRow(row: ActionsRow): TemplateResult {
  const { actions, fitting, texts } = row
  return html`<div class="ruler" aria-hidden="true" inert>
      <div>
        ${actions.map((action) => html`<button>${face({ action, isExecuting: false, texts })}</button>`)}
        <button>${texts.actions.moreShort} ${chevronDownIcon}</button>
      </div>
    </div>
    <div class="bar">
      ${repeat(
        actions.filter(({ code }) => fitting.has(code)),
        ({ code }) => code,
        (action) => actionButton(buttonOf(action, row)),
      )}
      ${more(
        row,
        actions.filter(({ code }) => !fitting.has(code)),
      )}
    </div>`
}

function more(row: ActionsRow, actions: readonly DocumentAction[]): TemplateResult | typeof nothing {
  if (actions.length === 0) return nothing
  const { more: label, moreShort } = row.texts.actions
  const onToggle = (event: ToggleEvent): void => {
    placeMenu(event)
    if (event.newState === 'closed') focusMore(event)
    if (event.newState === 'open') actions.filter(({ isAllowed }) => !isAllowed).forEach(row.showRoles)
  }
  return html`<button
      class="more"
      popovertarget="menu"
      aria-label=${label}
      aria-busy=${actions.some(({ code }) => code === row.executingCode) ? 'true' : nothing}
    >
      ${moreShort} ${chevronDownIcon}
    </button>
    <ul id="menu" class="menu" popover aria-label=${label} @beforetoggle=${onToggle}>
      ${repeat(
        actions,
        ({ code }) => code,
        (action) => actionMenuItem(buttonOf(action, row)),
      )}
    </ul>`
}

const buttonOf = (action: DocumentAction, { executingCode, texts, act, roles, showRoles }: ActionsRow) => ({
  action,
  isExecuting: action.code === executingCode,
  texts,
  act: () => act(action),
  roles: roles.get(action.code) ?? [],
  showRoles: () => showRoles(action),
})

/** Moves the focus out of a closing menu. The browser does not, if the menu is in a shadow root. */
function focusMore({ currentTarget }: Event): void {
  const menu = currentTarget as HTMLElement
  const button = menu.previousElementSibling
  if (menu.matches(':focus-within') && button instanceof HTMLElement) button.focus()
}

function placeMenu(event: ToggleEvent): void {
  const menu = event.currentTarget as HTMLElement
  const button = menu.previousElementSibling
  if (event.newState === 'open' && button instanceof HTMLElement) placePopover(menu, button)
}
