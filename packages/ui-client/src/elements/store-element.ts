import { type CSSResultGroup, html, LitElement, type PropertyValues, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../session/session.ts'
import { type Announcement, feedbackStore } from '../stores/feedback.ts'
import type { NavigationTarget } from '../wire/documents.ts'
import type { ElementProperties, ElementProperty } from './element-property.ts'
import type { Done, DoneDetail, KitEventMap } from './events.ts'
import { keepRetryFocus } from './parts/focus.ts'
import { $textChanges, type EnglishTexts, type TextGroup, type TextsOf, textsOf } from './texts.ts'
import { theme } from './theme.ts'

const noTexts: object = {}

/** Selects the dialogs in an element: those that pass on `dialogParts`. */
const dialogs = '[exportparts^=dialog]'

interface Dialog extends Element {
  /** Closes the dialog without an answer. */
  withdraw?(): void
}

/**
 * The base class of all elements of the kit, and of a vertical's own elements. It opens a store when the element is in the
 * page and the element's properties are set. It renders again when the store's atoms or the texts change. It closes the
 * store when the element is removed from the page, but not when it is moved. When one of `storeProperties` changes, it opens another store.
 * Concurrent requests, errors and retries are the task of the store.
 *
 * If the store has a method `dispose`, the element calls this method. A store without `dispose`, such as
 * `featuresStore(session)`, is shared and stays open.
 *
 * A subclass defines `storeProperties`, implements `openStore` and `atomsOf`, and renders `this.store`. It renders nothing
 * while the store is null.
 *
 * @cssprop --vk-text - The color of text. A contrast of 4.5 : 1 to its background is needed here and below.
 * @cssprop --vk-text-muted - The color of details.
 * @cssprop --vk-ground - The background.
 * @cssprop --vk-raised - The background of raised surfaces.
 * @cssprop --vk-line - The color of lines.
 * @cssprop --vk-field-line - The color of the borders of fields. It needs a contrast of 3 : 1.
 * @cssprop --vk-accent - The color of main buttons, links and the focus.
 * @cssprop --vk-on-accent - The color of text on the accent color.
 * @cssprop --vk-accent-soft - The background of selected rows.
 * @cssprop --vk-danger - The color of failures and dangerous actions.
 * @cssprop --vk-on-danger - The color of text on the color of dangerous actions.
 * @cssprop --vk-danger-soft - The background of error messages.
 * @cssprop --vk-success - The color of good states.
 * @cssprop --vk-success-soft - The background of good states.
 * @cssprop --vk-warning - The color of warnings.
 * @cssprop --vk-warning-soft - The background of warnings.
 * @cssprop --vk-radius - The radius of corners.
 * @cssprop --vk-font - The font.
 * @cssprop --vk-font-size - The size of text.
 */
export abstract class StoreElement<S extends object, Group extends TextGroup = never> extends LitElement {
  /** The kit's theme. A subclass adds its own styles: `[StoreElement.styles, ownStyle]`. */
  static override styles: CSSResultGroup = theme
  static override properties: ElementProperties = { session: { attribute: false } }

  /** The store that the element shows. It is null while a property is missing, and after the session has ended. */
  store: S | null = null
  #session: Session | undefined
  #stopFollowing: readonly (() => void)[] = []

  static override createProperty(name: PropertyKey, options: ElementProperty = {}): void {
    const { accept } = options
    const key = Symbol()
    // Lit builds its own accessor around this one.
    if (accept !== undefined)
      // biome-ignore lint/complexity/noThisInStatic: a property belongs to the subclass that declares it.
      Object.defineProperty(this.prototype, name, {
        configurable: true,
        get(this: Record<symbol, unknown>) {
          return accept(this[key])
        },
        set(this: Record<symbol, unknown>, value: unknown) {
          this[key] = value
        },
      })
    // biome-ignore lint/complexity/noThisInStatic: a property belongs to the subclass that declares it.
    super.createProperty(name, options)
  }

  /** The session of the current user. Without a session, or after the session has ended, the element shows nothing. */
  get session(): Session | undefined {
    return this.#session
  }
  set session(session: Session | null | undefined) {
    this.#session = session ?? undefined
  }

  /** The names of the properties that the store depends on, including `session`. */
  protected abstract readonly storeProperties: readonly string[]
  /** Opens the store and starts loading. Returns null while a property is missing. Called again when a property changes. */
  protected abstract openStore(session: Session): S | null
  /** Returns the atoms that the element observes. The element renders again when one of them changes. */
  protected abstract atomsOf(store: S): readonly ReadableAtom<unknown>[]

  /** The English texts of the element. A vertical's own element has none here. */
  protected readonly english: EnglishTexts<Group> = noTexts as EnglishTexts<Group>

  /** The current texts: those that all elements share, and those of the element. A page changes them with `setTexts`. */
  protected get texts(): TextsOf<Group> {
    return textsOf(this.english)
  }

  override connectedCallback(): void {
    super.connectedCallback()
    // The update reopens the store, so that an element that loads in `willUpdate` loads again.
    if (this.store === null) this.requestUpdate('session')
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    // A page that moves an element, for example when it sorts a list, removes and inserts it in one step.
    queueMicrotask(() => this.isConnected || this.#close())
  }

  protected override willUpdate(changed: PropertyValues): void {
    // A removed element opens its store when the page inserts it again.
    if (this.isConnected && this.storeProperties.some((name) => changed.has(name))) this.#reopen()
  }

  /** An element can load again by itself what has failed. */
  protected override update(changed: PropertyValues): void {
    keepRetryFocus(this, () => super.update(changed))
  }

  /** Opens the store of the current properties. Also called when the session ends, to remove the user's data and open dialogs. */
  readonly #reopen = (): void => {
    this.#close()
    const { session } = this
    const end = session?.signal
    this.store = session?.signal?.aborted === false ? this.openStore(session) : null
    const atoms = this.store === null ? [] : this.atomsOf(this.store)
    const stops = [$textChanges, ...atoms].map((atom) => atom.listen(() => this.requestUpdate()))
    end?.addEventListener('abort', this.#reopen)
    this.#stopFollowing = [...stops, () => end?.removeEventListener('abort', this.#reopen)]
    this.requestUpdate()
  }

  #close(): void {
    for (const stop of this.#stopFollowing) stop()
    this.#stopFollowing = []
    const store: { dispose?(): void } | null = this.store
    this.store = null
    store?.dispose?.()
    for (const dialog of this.shadowRoot?.querySelectorAll<Dialog>(dialogs) ?? []) dialog.withdraw?.()
  }

  /** Whether the user sees the content of this store. */
  protected shows(store: S): boolean {
    return this.store === store && this.checkVisibility()
  }

  /** Dispatches an event that bubbles and crosses shadow roots. Returns false if the page has cancelled it. */
  protected tell<Name extends string>(
    name: Name,
    detail: Name extends keyof KitEventMap ? KitEventMap[Name]['detail'] : unknown,
    from: EventTarget = this,
  ): boolean {
    return from.dispatchEvent(
      new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }),
    )
  }

  /** Reports what the user has done: as `vk-done`, and as a message unless the page cancels the event. */
  protected report(session: Session, done: Done, message: Announcement): void {
    const detail: DoneDetail = { ...done, text: message.text, undo: message.undo ?? null }
    // An element that the user has left is in no document, so its events would reach nobody.
    if (this.tell('vk-done', detail, this.isConnected ? this : document))
      feedbackStore(session).announce(message)
  }

  /**
   * Goes to a place: dispatches `vk-navigate`. If no listener handles the event with `preventDefault`, the browser loads the
   * address of the place, if it has one.
   */
  protected navigate(target: NavigationTarget): void {
    const href = this.session?.hrefOf(target) ?? null
    if (this.tell('vk-navigate', target) && href !== null) location.assign(href)
  }

  /**
   * Renders the name of a place: as a link if the place has an address, otherwise as a button. A plain click dispatches
   * `vk-navigate`, like {@link navigate}. The browser handles all other clicks, for example for a new tab. `opened` is called
   * for each click.
   */
  protected linkTo(target: NavigationTarget, content: unknown, opened?: () => void): TemplateResult {
    const href = this.session?.hrefOf(target) ?? null
    const open = (event: MouseEvent) => {
      opened?.()
      if (href !== null && (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)) return
      if (!this.tell('vk-navigate', target)) event.preventDefault()
    }
    return href === null
      ? html`<button part="link" class="link" @click=${open}>${content}</button>`
      : html`<a part="link" class="link" href=${href} @click=${open}>${content}</a>`
  }
}

/** Returns the states of those stores that are open, for `atomsOf`. */
export const statesOf = (
  ...stores: readonly ({ readonly $state: ReadableAtom<unknown> } | null)[]
): readonly ReadableAtom<unknown>[] => stores.flatMap((store) => (store === null ? [] : [store.$state]))
