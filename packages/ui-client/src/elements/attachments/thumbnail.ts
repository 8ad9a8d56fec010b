import {
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit'
import { createQueue } from '../../stores/upload-queue.ts'
import { theme } from '../theme.ts'
import { fileIcon } from './file-icon.ts'

/** The edge of the thumbnail in pixels: twice its size on the page, for dense displays. */
const edgePx = 64

/** Decodes one image at a time, because a decoded photo takes about 50 MB. */
const queue = createQueue(1)

/**
 * The thumbnail of an image that the user has chosen, otherwise the icon of the file. It is drawn on a canvas: pages need no
 * `blob:` in their content security policy. SVG images are not drawn.
 */
export class Thumbnail extends LitElement {
  static override styles = [
    theme,
    css`
      :host {
        display: grid;
        place-items: center;
        width: 2rem;
        height: 2rem;
        overflow: hidden;
        border-radius: calc(var(--_radius) / 2);
      }
      canvas {
        width: 100%;
        height: 100%;
      }
      svg {
        display: block;
        width: 1.25rem;
        height: 1.25rem;
      }
    `,
  ]
  static override properties: PropertyDeclarations = {
    file: { attribute: false },
    isDrawn: { attribute: 'drawn', type: Boolean, reflect: true },
  }
  declare file: File
  declare isDrawn: boolean

  constructor() {
    super()
    this.isDrawn = false
  }

  protected override render(): TemplateResult {
    const { name, type } = this.file
    return html`<canvas width=${edgePx} height=${edgePx} aria-hidden="true" ?hidden=${!this.isDrawn}></canvas>
      ${this.isDrawn ? '' : fileIcon({ fileName: name, contentType: type })}`
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('file') && this.file.type.startsWith('image/')) void queue(() => this.#draw(this.file))
  }

  async #draw(file: File): Promise<void> {
    if (!this.isConnected || file !== this.file) return
    // A file that is not an image in a known format keeps its icon.
    const image = await createImageBitmap(file).catch(() => null)
    if (image === null) return
    const { width, height } = image
    const scale = edgePx / Math.min(width, height)
    const [x, y] = [(edgePx - width * scale) / 2, (edgePx - height * scale) / 2]
    const canvas = this.renderRoot.querySelector('canvas')
    canvas?.getContext('2d')?.drawImage(image, x, y, width * scale, height * scale)
    image.close()
    this.isDrawn = true
  }
}
