import { type CSSResultGroup, LitElement, type PropertyDeclarations, type PropertyValues } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../session/session.ts'
import type { AskDialog } from './parts/ask-dialog.ts'
import { $texts, type Texts } from './texts.ts'
import { theme } from './theme.ts'
import type { SnoozeDialog } from './work-center/snooze-dialog.ts'

const dialogs = 'vk-ask-dialog, vk-snooze-dialog'

/** What an element's store has in common with the others'. */
interface Disposable {
  dispose(): void
}

/**
 * An element over a store: it opens the store when its properties are there, renders what the atoms say, forwards what the
 * user does, and ends the store when it leaves the page. Everything else is the store's.
 */
export abstract class StoreElement<S extends Disposable> extends LitElement {
  static override styles: CSSResultGroup = theme
  static override properties: PropertyDeclarations = { session: { attribute: false } }

  /** Whose the element is. Nothing is shown without one, and nothing after it was closed. */
  declare session: Session | undefined
  /** The store the element shows; null while a property is missing. */
  store: S | null = null
  #stopFollowing: readonly (() => void)[] = []

  /** Names of the properties that a store is made of. */
  protected abstract readonly storeProperties: readonly string[]
  /** Makes the store, and loads what is shown first; null while a property is missing. */
  protected abstract openStore(session: Session): S | null
  /** What to render again for. */
  protected abstract atomsOf(store: S): readonly ReadableAtom<unknown>[]

  /** What the element says. */
  protected get texts(): Texts {
    return $texts.get()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    if (this.hasUpdated) this.#reopen()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#close()
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (this.storeProperties.some((name) => changed.has(name))) this.#reopen()
  }

  #reopen(): void {
    this.#close()
    this.store = this.session === undefined || !this.isConnected ? null : this.openStore(this.session)
    const atoms = this.store === null ? [] : this.atomsOf(this.store)
    const stops = [$texts, ...atoms].map((atom) => atom.listen(() => this.requestUpdate()))
    const end = this.session?.signal
    end?.addEventListener('abort', this.#withdraw)
    this.#stopFollowing = [...stops, () => end?.removeEventListener('abort', this.#withdraw)]
    this.requestUpdate()
  }

  /** What was being asked names what the session's user was shown. */
  readonly #withdraw = (): void => {
    for (const dialog of this.renderRoot.querySelectorAll<AskDialog | SnoozeDialog>(dialogs))
      dialog.withdraw()
  }

  #close(): void {
    for (const stop of this.#stopFollowing) stop()
    this.#stopFollowing = []
    this.store?.dispose()
    this.store = null
  }

  /** Tells the page something. The event crosses shadow roots. */
  protected tell<T>(name: string, detail: T): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
  }
}
