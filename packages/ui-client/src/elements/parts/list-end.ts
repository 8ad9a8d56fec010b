import {
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit'
import type { ListState } from '../../stores/paged-list.ts'
import type { Texts } from '../texts.ts'
import { theme } from '../theme.ts'
import { keepRetryFocus } from './focus.ts'
import { loadFailure } from './load-failure.ts'

/** The next page is requested when the end of the list is this far below the visible area: about one screen. */
const aheadPx = 600

/**
 * The end of a paged list. Dispatches `vk-near-end` when the end is near the visible area, so that the next page is loaded.
 * Shows that a page is loading, and offers a retry after a failure.
 */
export class ListEnd extends LitElement {
  static override styles = theme
  static override properties: PropertyDeclarations = {
    list: { attribute: false },
    texts: { attribute: false },
  }
  declare list: ListState<unknown> | undefined
  /** The texts of this element. They are a property, so that a change of language renders the element again. */
  declare texts: Texts['common'] | undefined
  #observer: IntersectionObserver | null = null

  override connectedCallback(): void {
    super.connectedCallback()
    this.#observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting) && this.list?.status === 'ready') this.#ask()
      },
      { rootMargin: `${aheadPx}px` },
    )
    // The update starts the observer also after a move, when nothing else has changed.
    this.requestUpdate()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#observer?.disconnect()
  }

  protected override update(changed: PropertyValues): void {
    keepRetryFocus(this, () => super.update(changed))
  }

  /** Restarts the observer after every page. If the end of the list is still visible, the next page is requested. */
  protected override updated(): void {
    this.#observer?.disconnect()
    if (this.list?.hasMore && this.list.status === 'ready') this.#observer?.observe(this)
  }

  #ask = (): void => {
    this.dispatchEvent(new CustomEvent('vk-near-end'))
  }

  protected override render(): TemplateResult | typeof nothing {
    const { list, texts: common } = this
    if (!list?.hasMore || common === undefined) return nothing
    if (list.status === 'moreFailed') return loadFailure(list.error, this.#ask, common.moreFailed)
    const isLoading = list.status === 'loadingMore'
    return html`<button part="button" class="quiet" aria-disabled=${isLoading} @click=${this.#ask}>
      ${isLoading ? common.loading : common.showMore}
    </button>`
  }
}
