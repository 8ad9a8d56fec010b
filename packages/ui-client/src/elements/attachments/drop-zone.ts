import { css, html, LitElement, type PropertyDeclarations, type TemplateResult } from 'lit'
import { plusIcon } from '../parts/icons.ts'
import { $texts } from '../texts.ts'
import { theme } from '../theme.ts'

/** Where files come in: chosen, dropped, or pasted. Tells of them by `vk-files`, with a `File[]`. */
export class DropZone extends LitElement {
  static override styles = [
    theme,
    css`
      .zone {
        padding: 0.75rem;
        border: 1px dashed var(--_field-line);
        border-radius: var(--_radius);
        color: var(--_muted);
      }
      .zone[data-over] {
        border-color: var(--_accent);
        background: var(--_accent-soft);
        color: var(--_text);
      }
    `,
  ]
  static override properties: PropertyDeclarations = { isOver: { attribute: false, state: true } }
  declare isOver: boolean

  constructor() {
    super()
    this.isOver = false
  }

  protected override render(): TemplateResult {
    const { attachments } = $texts.get()
    return html`<div
      class="zone row"
      ?data-over=${this.isOver}
      @dragenter=${this.#over}
      @dragover=${this.#over}
      @dragleave=${this.#leave}
      @drop=${this.#drop}
    >
      <input type="file" multiple hidden @change=${this.#chosen} />
      <button class="small" @click=${() => this.renderRoot.querySelector('input')?.click()}>
        ${plusIcon} ${attachments.choose}
      </button>
      <span class="small">${this.isOver ? attachments.dropHere : attachments.chooseHint}</span>
    </div>`
  }

  #over = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'copy'
    this.isOver = true
  }

  #leave = (event: DragEvent): void => {
    const { currentTarget, relatedTarget } = event
    // Onto something within it: not left.
    if (
      currentTarget instanceof Node &&
      relatedTarget instanceof Node &&
      currentTarget.contains(relatedTarget)
    )
      return
    this.isOver = false
  }

  #drop = (event: DragEvent): void => {
    if (event.dataTransfer === null) return
    event.preventDefault()
    this.isOver = false
    this.#tell(filesOf(event.dataTransfer))
  }

  #chosen = (event: Event): void => {
    const input = event.target as HTMLInputElement
    this.#tell([...(input.files ?? [])])
    // The same file again is a change as well.
    input.value = ''
  }

  #tell(files: readonly File[]): void {
    if (files.length > 0) this.dispatchEvent(new CustomEvent('vk-files', { detail: files }))
  }
}

/** The files of a drop or of the clipboard. A folder comes as a file that cannot be read: it is left out. */
export function filesOf({ items }: DataTransfer): readonly File[] {
  return [...items].flatMap((item) => {
    const file = item.webkitGetAsEntry()?.isDirectory === true ? null : item.getAsFile()
    return file === null ? [] : [file]
  })
}
