/** Callbacks for files that are dragged over the page, dropped on it, or pasted into a panel. */
export interface FileAcceptance {
  /** Called while files are dragged, with the panel that would receive them now. */
  readonly onDrag: (target: HTMLElement | undefined) => void
  readonly onFiles: (files: readonly File[]) => void
  /** Called if folders were dropped, which the panel cannot add. */
  readonly onFolders: () => void
}

/** The panels of the page that accept files now. */
const panels = new Map<HTMLElement, FileAcceptance>()
let listening = new AbortController()

/**
 * Makes a panel accept files that are dropped anywhere on the page, or pasted while the panel contains the focus. If the
 * page has several panels, each accepts only the files that are dropped on it. Other drop areas and file inputs of the page
 * keep working: they have precedence. The returned function ends the acceptance.
 */
export function acceptFiles(panel: HTMLElement, acceptance: FileAcceptance): () => void {
  if (panels.size === 0) listen()
  panels.set(panel, acceptance)
  const paste = (event: ClipboardEvent) => {
    if (!isText(event)) take(event, event.clipboardData, acceptance)
  }
  panel.addEventListener('paste', paste)
  return () => {
    panel.removeEventListener('paste', paste)
    panels.delete(panel)
    if (panels.size > 0) return
    listening.abort()
    // The reason of an aborted signal has a stack trace, which keeps this panel in memory.
    listening = new AbortController()
  }
}

/** Text that is pasted into a field stays text, although a spreadsheet also offers a picture of its cells. */
function isText(event: ClipboardEvent): boolean {
  const field = event.composedPath()[0] as HTMLElement
  return (
    event.clipboardData?.types.includes('text/plain') === true &&
    (field.isContentEditable || field.matches('input, textarea'))
  )
}

function listen(): void {
  const { signal } = listening
  const over = (event: DragEvent) => {
    if (!isForPanels(event)) return
    // Also where no panel accepts the files: otherwise the browser would leave the page and open them.
    event.preventDefault()
    const target = panelAt(event)
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = target === undefined ? 'none' : 'copy'
    showTarget(target)
  }
  document.addEventListener('dragenter', over, { signal })
  document.addEventListener('dragover', over, { signal })
  document.addEventListener(
    'dragleave',
    // The event also fires between two elements of the page. The files are then still over the page.
    ({ relatedTarget }) => relatedTarget === null && showTarget(undefined),
    { signal },
  )
  document.addEventListener(
    'drop',
    (event) => {
      showTarget(undefined)
      if (!isForPanels(event)) return
      event.preventDefault()
      const target = panelAt(event)
      const acceptance = target && panels.get(target)
      if (acceptance !== undefined) take(event, event.dataTransfer, acceptance)
    },
    { signal },
  )
}

function isForPanels(event: DragEvent): boolean {
  if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return false
  return !event.composedPath().some((one) => one instanceof HTMLInputElement && one.type === 'file')
}

/** Returns the visible panel below the pointer, or the only one of the page. */
function panelAt(event: DragEvent): HTMLElement | undefined {
  const path = event.composedPath()
  const all = [...panels.keys()].filter((panel) => panel.checkVisibility())
  return all.find((panel) => path.includes(panel)) ?? (all.length === 1 ? all[0] : undefined)
}

function showTarget(target: HTMLElement | undefined): void {
  for (const { onDrag } of panels.values()) onDrag(target)
}

function take(event: Event, data: DataTransfer | null, { onFiles, onFolders }: FileAcceptance): void {
  const items = [...(data?.items ?? [])]
  // Folders appear as files that cannot be read.
  const folders = items.filter((item) => item.webkitGetAsEntry()?.isDirectory === true)
  const files = items.flatMap((item) => (folders.includes(item) ? [] : (item.getAsFile() ?? [])))
  if (folders.length > 0) onFolders()
  if (files.length === 0) return
  event.preventDefault()
  onFiles(files)
}
