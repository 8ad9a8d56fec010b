import { css, html, LitElement, type PropertyDeclarations, type TemplateResult } from 'lit'
import { plusIcon } from '../parts/icons.ts'
import { $texts } from '../texts.ts'
import { theme } from '../theme.ts'

/** A file picker that also shows that files can be dropped. Dispatches files as `vk-files` (detail: `File[]`). */
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
  static override properties: PropertyDeclarations = { isOver: { attribute: false } }
  /** Whether files are being dragged over the panel. */
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
    >
      <input type="file" multiple hidden @change=${this.#chosen} />
      <button class="small" @click=${() => this.renderRoot.querySelector('input')?.click()}>
        ${plusIcon} ${attachments.choose}
      </button>
      <span class="small">${this.isOver ? attachments.dropHere : attachments.chooseHint}</span>
    </div>`
  }

  #chosen = (event: Event): void => {
    const input = event.target as HTMLInputElement
    const files = [...(input.files ?? [])]
    if (files.length > 0) this.dispatchEvent(new CustomEvent('vk-files', { detail: files }))
    // Reset the input, so that choosing the same file again fires another change event.
    input.value = ''
  }
}
