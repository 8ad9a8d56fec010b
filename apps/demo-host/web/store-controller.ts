import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { ReadableAtom } from 'nanostores'

/** Renders its element again whenever one of the stores changes, for as long as the element is in the page. */
export class StoreController implements ReactiveController {
  readonly #host: ReactiveControllerHost
  #stores: readonly ReadableAtom[] = []
  #stops: (() => void)[] = []
  #isConnected = false

  constructor(host: ReactiveControllerHost, stores: readonly ReadableAtom[] = []) {
    this.#host = host
    this.#stores = stores
    host.addController(this)
  }

  /** Watches these instead of those before. */
  watch(...stores: readonly ReadableAtom[]): void {
    this.hostDisconnected()
    this.#stores = stores
    if (this.#host instanceof HTMLElement && this.#host.isConnected) this.hostConnected()
  }

  hostConnected(): void {
    if (this.#isConnected) return
    this.#isConnected = true
    this.#stops = this.#stores.map((store) => store.listen(() => this.#host.requestUpdate()))
    this.#host.requestUpdate()
  }

  hostDisconnected(): void {
    this.#isConnected = false
    for (const stop of this.#stops) stop()
    this.#stops = []
  }
}
