import { css, html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import { plusIcon } from '../parts/icons.ts'
import type { TextsOf } from '../texts.ts'
import { theme } from '../theme.ts'
import { acceptFiles } from './accept-files.ts'

/**
 * A file picker for the panel that contains it. It also accepts files that are dropped anywhere on the page, or pasted into
 * the panel. Dispatches files as `vk-files` (detail: `File[]`).
 */
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
      .banner {
        margin-block-start: 0.5rem;
      }
      .zone[data-over] {
        border-color: var(--_accent);
        background: var(--_accent-soft);
        color: var(--_text);
      }
    `,
  ]
  static override properties: PropertyDeclarations = {
    texts: { attribute: false },
    isOver: { attribute: false, state: true },
    hasFolders: { attribute: false, state: true },
  }
  /** The texts of this element. They are a property, so that a change of language renders the element again. */
  declare texts: TextsOf<'attachments'>['attachments'] | undefined
  /** Whether a drop would add files that are being dragged. */
  declare protected isOver: boolean
  /** Whether the last drop contained folders. */
  declare protected hasFolders: boolean
  #stopAccepting = () => {}

  constructor() {
    super()
    this.isOver = false
    this.hasFolders = false
  }

  override connectedCallback(): void {
    super.connectedCallback()
    const root = this.getRootNode()
    const panel = root instanceof ShadowRoot && root.host instanceof HTMLElement ? root.host : this
    this.#stopAccepting = acceptFiles(panel, {
      onDrag: (target) => {
        this.isOver = target === panel
        if (this.isOver) this.hasFolders = false
      },
      onFiles: this.#tell,
      onFolders: () => {
        this.hasFolders = true
      },
    })
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#stopAccepting()
  }

  protected override render(): TemplateResult | typeof nothing {
    const { texts: attachments } = this
    if (attachments === undefined) return nothing
    return html`<div
      part="drop-zone"
      class="zone row"
      ?data-over=${this.isOver}
    >
      <input type="file" multiple hidden @change=${this.#chosen} />
      <button part="button" class="small" @click=${() => this.renderRoot.querySelector('input')?.click()}>
        ${plusIcon} ${attachments.choose}
      </button>
      <span class="small">${this.isOver ? attachments.dropHere : attachments.chooseHint}</span>
    </div>
    <div role="alert">
      ${this.hasFolders ? html`<div part="notice" class="banner warning"><span>${attachments.folder}</span></div>` : nothing}
    </div>`
  }

  readonly #tell = (files: readonly File[]): void => {
    this.dispatchEvent(new CustomEvent('vk-files', { detail: files }))
  }

  #chosen = (event: Event): void => {
    const input = event.target as HTMLInputElement
    const files = [...(input.files ?? [])]
    if (files.length > 0) this.#tell(files)
    // Reset the input, so that choosing the same file again fires another change event.
    input.value = ''
  }
}
