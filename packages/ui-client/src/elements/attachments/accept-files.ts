/** What an element does with files that come over it. */
export interface FileAcceptance {
  /** Whether files are welcome now. Where they are not, the browser does with them what it likes. */
  readonly isWelcome: () => boolean
  readonly onEnter: () => void
  /** Files that were over it are not any more: dropped, or gone elsewhere. */
  readonly onLeave: () => void
  readonly onFiles: (files: readonly File[]) => void
}

/** Has an element take files that are dropped anywhere on it, or pasted while the focus is in it. */
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
    // Onto something within it: not left.
    if (!(relatedTarget instanceof Node && host.contains(relatedTarget))) onLeave()
  })
  host.addEventListener('drop', (event) => {
    onLeave()
    take(event, event.dataTransfer)
  })
  host.addEventListener('paste', (event) => take(event, event.clipboardData))
}

/** The files of a drop or of the clipboard. A folder comes as a file that cannot be read: it is left out. */
function filesOf({ items }: DataTransfer): readonly File[] {
  return [...items].flatMap((item) => {
    const file = item.webkitGetAsEntry()?.isDirectory === true ? null : item.getAsFile()
    return file === null ? [] : [file]
  })
}
