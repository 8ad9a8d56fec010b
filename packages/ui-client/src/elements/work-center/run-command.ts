import type { WorkCenterStore } from '../../stores/work-center.ts'
import type { BatchVerb, WorkCenterItem } from '../../wire/work-center.ts'
import type { TakeAction } from '../document-actions/take-action.ts'
import type { RowVerbs } from './item-row.ts'
import { isClaimable, isOpenTask } from './row-buttons.ts'
import type { RowFocus } from './row-focus.ts'
import type { Command } from './shortcuts.ts'

export interface CommandContext {
  readonly store: WorkCenterStore
  readonly rows: RowFocus
  readonly verbs: RowVerbs
  /** The item of the row with the focus. */
  readonly item: WorkCenterItem | null
  /** Changes the selected items for which the verb makes sense. */
  change(verb: BatchVerb): void
  undo(): void
  help(): void
}

/** Runs a command. It applies to the selected rows if there are any, otherwise to the row with the focus. */
export function runCommand(command: Command, context: CommandContext): void {
  const { store, rows, verbs, item, change } = context
  const hasSelection = store.$selected.get().size > 0
  switch (command) {
    case 'next':
    case 'previous':
      rows.move(command === 'next' ? 1 : -1)
      return
    case 'select':
      if (item !== null)
        verbs.select(item, { isSelected: !store.$selected.get().has(item.id), isRange: false })
      return
    case 'undo':
      context.undo()
      return
    case 'help':
      context.help()
      return
    case 'claim':
      if (hasSelection) change('claim')
      else if (item !== null && isClaimable(item)) verbs.claim(item)
      return
    case 'snooze':
      if (hasSelection) change('snooze')
      else if (item !== null && isOpenTask(item)) verbs.snooze(item)
      return
    case 'finish':
      if (hasSelection) change('dismiss')
      else if (item !== null) finish(item, context)
  }
}

/** Dismisses a notification, or takes the primary action of a task. A task without one is done at its document: opens it. */
function finish(item: WorkCenterItem, { rows, verbs }: CommandContext): void {
  const row = rows.current()
  const action = row?.querySelector<TakeAction>('vk-take-action')
  if (item.kind === 'Notification') verbs.dismiss(item)
  else if (action != null) void action.take()
  else open(row)
}

const open = (row: HTMLElement | null) => row?.querySelector<HTMLElement>('.title .link')?.click()

/** Handles the keys of a row that itself has the focus: arrows move, with Shift they select, and Enter opens. */
export function rowKey(event: KeyboardEvent, { store, rows }: Pick<CommandContext, 'store' | 'rows'>): void {
  const row = rows.current()
  if (row === null || event.composedPath()[0] !== row) return
  if (event.ctrlKey || event.altKey || event.metaKey) return
  if (event.key === 'Enter') open(row)
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  const next = rows.move(event.key === 'ArrowDown' ? 1 : -1) ?? row
  if (event.shiftKey) store.select([row, next].map(({ dataset }) => dataset['id'] ?? ''))
}
