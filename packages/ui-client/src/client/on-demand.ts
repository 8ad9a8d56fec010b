import { KitError } from './kit-error.ts'

/** A part of this package that a page loads when it needs the part for the first time. */
export interface OnDemand<Part> {
  /** Returns the part, or null until it is loaded. */
  get(): Part | null
  /**
   * Loads the part. Concurrent calls share one request. After a failure, the next call tries again.
   *
   * @throws {KitError} client.part_not_loaded, without a network or if the server no longer has this release of the page
   */
  load(): Promise<Part>
}

/**
 * Creates a part on demand. `importPart` calls `import()` with a literal path, so that every bundler and browser finds the file.
 * The part must not contain what a page needs while it closes, because nothing can be loaded then.
 */
export function onDemand<Part>(importPart: () => Promise<Part>): OnDemand<Part> {
  let part: Part | null = null
  let loading: Promise<Part> | null = null
  const request = async (): Promise<Part> => {
    try {
      part = await importPart()
      return part
    } catch (cause) {
      loading = null
      throw new KitError(
        { code: 'client.part_not_loaded', detail: 'This part of the page could not be loaded.' },
        { cause },
      )
    }
  }
  return {
    get: () => part,
    load() {
      loading ??= request()
      return loading
    },
  }
}

/** Browsers without `requestIdleCallback` (Safari) preload after this time. */
const preloadDelayMs = 1_000

/**
 * Loads a part while the browser is idle, or when the network returns. Then the user does not wait for it later, also without a
 * network. Ignores failures, because the part is loaded again when it is needed. Does nothing outside a browser.
 */
export function preload(part: OnDemand<unknown>): void {
  if (typeof document === 'undefined' || part.get() !== null) return
  const load = () => {
    // Firefox never fetches a failed module again, so a preload without a network would break the part until a reload.
    if (navigator.onLine === false) addEventListener('online', load, { once: true })
    else void part.load().catch(() => {})
  }
  if (typeof requestIdleCallback === 'function') requestIdleCallback(load)
  else setTimeout(load, preloadDelayMs)
}
