import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { DocumentAction } from '../../wire/documents.ts'
import { chevronDownIcon } from '../parts/icons.ts'
import { placePopover } from '../parts/popover.ts'
import type { TextsOf } from '../texts.ts'
import { actionButton, actionMenuItem, face } from './action-button.ts'
import type { ActionIcons } from './action-icons.ts'
import { whyNot } from './action-reasons.ts'
import { likelyActions, mainRefusal } from './fitting-actions.ts'

export interface ActionsRow {
  readonly actions: readonly DocumentAction[]
  /** How many of the likely actions have a button in the bar. All other actions are in the "More" menu. */
  readonly fitting: number
  /** The code of the action in progress, or null. */
  readonly executingCode: string | null
  readonly texts: TextsOf<'actions'>
  readonly icons: ActionIcons
  readonly act: (action: DocumentAction) => void
  /** The names of the roles that could perform an action, by code, as far as they are loaded. */
  readonly roles: ReadonlyMap<string, readonly string[]>
  /** Called when the reasons of an unavailable action are shown. */
  readonly showRoles: (action: DocumentAction) => void
}

/** Renders the next steps as buttons, and an invisible copy of these buttons to measure their widths. */
export function actionsRow(row: ActionsRow): TemplateResult {
  const { actions, fitting, texts, icons } = row
  const likely = likelyActions(actions)
  const front = likely.slice(0, fitting)
  return html`<div class="ruler" aria-hidden="true" inert>
      <div>
        ${likely.map((action) => html`<button part="button">${face({ action, isExecuting: false, texts, icons })}</button>`)}
        <button part="button">${texts.actions.moreShort} ${chevronDownIcon}</button>
      </div>
    </div>
    <div part="toolbar" class="bar">
      ${repeat(
        front,
        ({ code }) => code,
        (action) => actionButton(buttonOf(action, row)),
      )}
      ${refusal(row)} ${more(row, menuOrder(actions.filter((action) => !front.includes(action))))}
      <slot name="actions"></slot>
    </div>`
}

/** Renders why none of the actions is available. */
function refusal({ actions, texts }: ActionsRow): TemplateResult | typeof nothing {
  const reason = mainRefusal(actions)?.disabledReasons[0]
  return reason === undefined
    ? nothing
    : html`<p class="muted">${texts.actions.noneNow} ${whyNot(reason)}</p>`
}

/** Lists available actions first. Dangerous ones are the last of them. */
const menuOrder = (actions: readonly DocumentAction[]): readonly DocumentAction[] =>
  [...actions].sort((one, other) => menuRank(one) - menuRank(other))
const menuRank = ({ isAllowed, kind }: DocumentAction): number =>
  isAllowed ? Number(kind === 'Dangerous') : 2

function more(row: ActionsRow, actions: readonly DocumentAction[]): TemplateResult | typeof nothing {
  if (actions.length === 0) return nothing
  const { more: label, moreShort } = row.texts.actions
  const onToggle = (event: ToggleEvent): void => {
    placeMenu(event)
    if (event.newState === 'open') actions.filter(({ isAllowed }) => !isAllowed).forEach(row.showRoles)
  }
  return html`<button
      part="button"
      class="more"
      popovertarget="menu"
      aria-label=${label}
      aria-busy=${actions.some(({ code }) => code === row.executingCode) ? 'true' : nothing}
    >
      ${moreShort} ${chevronDownIcon}
    </button>
    <ul part="menu" id="menu" class="menu" popover aria-label=${label} @beforetoggle=${onToggle}>
      ${repeat(
        actions,
        ({ code }) => code,
        (action) => actionMenuItem(buttonOf(action, row)),
      )}
    </ul>`
}

const buttonOf = (action: DocumentAction, { executingCode, texts, icons, act, roles }: ActionsRow) => ({
  ...{ action, texts, icons },
  isExecuting: action.code === executingCode,
  act: () => act(action),
  roles: roles.get(action.code) ?? [],
})

function placeMenu(event: ToggleEvent): void {
  const menu = event.currentTarget as HTMLElement
  const button = menu.previousElementSibling
  if (event.newState === 'open' && button instanceof HTMLElement) placePopover(menu, button)
}
