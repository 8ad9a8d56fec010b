import { html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import type { ListState } from '../../stores/paged-list.ts'
import { $texts, errorText, type Texts } from '../texts.ts'
import { theme } from '../theme.ts'

/** How far below the screen the next page is asked for: about a screen ahead of who scrolls. */
const aheadPx = 600

/**
 * The end of a list that grows: asks for the next page (`vk-near-end`) as it comes near, says that one is on its way, and
 * offers another try when it has failed. Rows that are there stay.
 */
export class ListEnd extends LitElement {
  static override styles = theme
  static override properties: PropertyDeclarations = {
    list: { attribute: false },
    texts: { attribute: false },
  }
  declare list: ListState<unknown> | undefined
  /** What it says; another language is another value. */
  declare texts: Texts['common']
  #observer: IntersectionObserver | null = null

  constructor() {
    super()
    this.texts = $texts.get().common
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting) && this.list?.status === 'ready') this.#ask()
      },
      { rootMargin: `${aheadPx}px` },
    )
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#observer?.disconnect()
  }

  /** Observed anew with every page: an end that is still on the screen asks again. */
  protected override updated(): void {
    this.#observer?.disconnect()
    if (this.list?.hasMore === true && this.list.status === 'ready') this.#observer?.observe(this)
  }

  #ask = (): void => {
    this.dispatchEvent(new CustomEvent('vk-near-end'))
  }

  protected override render(): TemplateResult | typeof nothing {
    const { list, texts: common } = this
    if (list === undefined || !list.hasMore) return nothing
    if (list.status === 'moreFailed' && list.error !== null) {
      return html`<div class="banner" role="alert">
        <span>${common.moreFailed} ${errorText(list.error)}</span>
        <button class="small" @click=${this.#ask}>${common.retry}</button>
      </div>`
    }
    const isLoading = list.status === 'loadingMore'
    return html`<button class="quiet" ?disabled=${isLoading} @click=${this.#ask}>
      ${isLoading ? common.loading : common.showMore}
    </button>`
  }
}
