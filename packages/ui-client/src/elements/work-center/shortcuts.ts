import type { LitElement } from 'lit'

/** The effect of a key in the Work Center. */
export type Command =
  | 'next'
  | 'previous'
  | 'select'
  | 'claim'
  | 'snooze'
  | 'finish'
  | 'undo'
  | 'help'
  | 'deselect'

/** The keys of the commands, like in mail programs: `x` selects, `e` is done. */
const commands: Readonly<Record<string, Command>> = {
  j: 'next',
  k: 'previous',
  x: 'select',
  c: 'claim',
  s: 'snooze',
  e: 'finish',
  z: 'undo',
  '?': 'help',
  Escape: 'deselect',
}

/**
 * Returns the command of a key, or null. Keys with modifiers belong to the browser, and keys in a text field to the field. While
 * a dialog is open, keys belong to the dialog; `element` can itself be in a dialog. Only moving repeats while a key is held.
 */
function commandOf(event: KeyboardEvent, element: HTMLElement): Command | null {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey)
    return null
  const command = Object.hasOwn(commands, event.key) ? commands[event.key] : undefined
  if (command === undefined || (event.repeat && command !== 'next' && command !== 'previous')) return null
  const path = event.composedPath()
  const [focused] = path
  if (focused instanceof HTMLElement && (focused.isContentEditable || focused.matches(fields))) return null
  const dialog = path.find((target) => target instanceof HTMLDialogElement)
  if (dialog === undefined || dialog.contains(element)) return command
  const own = path.indexOf(element)
  return own >= 0 && own < path.indexOf(dialog) ? command : null
}

const fields = 'textarea, select, input:not([type="checkbox"], [type="radio"], [type="button"])'

/** An element with shortcuts. */
interface ShortcutsHost<Store> extends LitElement {
  /** Without a store, the element shows nothing, and keys have no effect. */
  readonly store: Store | null
  readonly noShortcuts: boolean
}

/** Runs the commands of keys anywhere on the page while the element is visible. `run` returns whether a key has an effect. */
export function listenForShortcuts<Store>(
  host: ShortcutsHost<Store>,
  run: (command: Command, store: Store) => boolean,
): void {
  const onKey = (event: KeyboardEvent): void => {
    const { store, noShortcuts } = host
    if (noShortcuts || store === null || !host.checkVisibility({ visibilityProperty: true })) return
    const command = commandOf(event, host)
    if (command === null) return
    if (run(command, store)) event.preventDefault()
  }
  host.addController({
    hostConnected: () => document.addEventListener('keydown', onKey),
    hostDisconnected: () => document.removeEventListener('keydown', onKey),
  })
}
