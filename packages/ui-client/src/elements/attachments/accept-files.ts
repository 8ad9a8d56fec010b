/** Callbacks for files that are dragged over an element, dropped on it or pasted into it. */
export interface FileAcceptance {
  /** Returns whether the element accepts files now. If it does not, the browser handles the files. */
  readonly isWelcome: () => boolean
  readonly onEnter: () => void
  /** Called when dragged files leave the element or are dropped. */
  readonly onLeave: () => void
  readonly onFiles: (files: readonly File[]) => void
}

/** Makes an element accept files that are dropped anywhere on it, or pasted while it contains the focus. */
export function acceptFiles(
  host: HTMLElement,
  { isWelcome, onEnter, onLeave, onFiles }: FileAcceptance,
): void {
  const over = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files') !== true || !isWelcome()) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'copy'
    onEnter()
  }
  const take = (event: Event, data: DataTransfer | null) => {
    const files = data === null || !isWelcome() ? [] : filesOf(data)
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  }
  host.addEventListener('dragenter', over)
  host.addEventListener('dragover', over)
  host.addEventListener('dragleave', ({ relatedTarget }) => {
    // The event also fires when the pointer moves onto a child element. The files are then still over the host.
    if (!(relatedTarget instanceof Node && host.contains(relatedTarget))) onLeave()
  })
  host.addEventListener('drop', (event) => {
    onLeave()
    take(event, event.dataTransfer)
  })
  host.addEventListener('paste', (event) => take(event, event.clipboardData))
}

/** Returns the files of a drop or of the clipboard. Skips folders, because they appear as unreadable files. */
function filesOf({ items }: DataTransfer): readonly File[] {
  return [...items].flatMap((item) => {
    const file = item.webkitGetAsEntry()?.isDirectory === true ? null : item.getAsFile()
    return file === null ? [] : [file]
  })
}
