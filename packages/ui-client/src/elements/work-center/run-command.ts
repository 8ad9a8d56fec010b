import type { WorkCenterStore } from '../../stores/work-center.ts'
import type { BatchVerb, WorkCenterItem } from '../../wire/work-center.ts'
import type { TakeAction } from '../document-actions/take-action.ts'
import { fitting } from './bulk-bar.ts'
import type { RowVerbs } from './item-row.ts'
import type { RowFocus } from './row-focus.ts'
import type { Command } from './shortcuts.ts'

export interface CommandContext {
  readonly store: WorkCenterStore
  readonly rows: RowFocus
  readonly verbs: RowVerbs
  /** The item of the row with the focus. */
  readonly item: WorkCenterItem | null
  /** The selected items, or without a selection the item of the row with the focus. */
  readonly items: readonly WorkCenterItem[]
  /** Changes the selected items for which the verb makes sense, or tells the user that there are none. */
  change(verb: BatchVerb): void
  undo(): void
  help(): void
}

/** Runs a command. Returns false if it has no effect, so that the key belongs to the page. */
export function runCommand(command: Command, context: CommandContext): boolean {
  const { store, rows, verbs, item, items, change } = context
  const selected = store.$selected.get()
  const [one] = items
  const apply = (verb: 'claim' | 'snooze' | 'dismiss') => {
    // Like the buttons: the store would ignore the change, also after the question for the end of a snooze.
    const isBatch = selected.size > 0
    const last = isBatch ? store.batches.$batch.get() : item && store.$rows.get().get(item.id)
    if (last?.status === 'pending') return
    const [focused] = isBatch ? [] : fitting(verb, items)
    if (focused !== undefined) verbs[verb](focused)
    else if (items.length > 0) change(verb)
  }
  switch (command) {
    case 'next':
    case 'previous':
      rows.move(command === 'next' ? 1 : -1)
      break
    case 'select':
      if (item !== null) verbs.select(item, { isSelected: !selected.has(item.id), isRange: false })
      break
    case 'deselect':
      store.deselect([...selected])
      return selected.size > 0
    case 'finish':
      if (items.length === 1 && one?.kind === 'Task') finish(rows.of(one.id))
      else apply('dismiss')
      break
    case 'claim':
    case 'snooze':
      apply(command)
      break
    default:
      context[command]()
  }
  return true
}

/** Takes the primary action of a task. A task without one is done at its document: opens it. */
function finish(row: HTMLElement | undefined): void {
  const action = row?.querySelector<TakeAction>('vk-take-action')
  if (action != null) void action.take()
  else open(row)
}

const open = (row: HTMLElement | undefined) => row?.querySelector<HTMLElement>('.title .link')?.click()

/**
 * Handles the keys of a row that itself has the focus: arrows move, with Shift they select, and Enter opens. A held Enter has pressed a
 * button of the row, which moved the focus here.
 */
export function rowKey(event: KeyboardEvent, { store, rows }: Pick<CommandContext, 'store' | 'rows'>): void {
  const row = rows.current()
  if (row === null || event.composedPath()[0] !== row) return
  if (event.ctrlKey || event.altKey || event.metaKey) return
  if (event.key === 'Enter' && !event.repeat) open(row)
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  const next = rows.move(event.key === 'ArrowDown' ? 1 : -1) ?? row
  if (event.shiftKey) store.select([row, next].map(({ dataset }) => dataset['id'] ?? ''))
}
