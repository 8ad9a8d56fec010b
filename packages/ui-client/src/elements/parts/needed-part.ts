import { nothing, type ReactiveControllerHost, type TemplateResult } from 'lit'
import { isKitError, type KitError } from '../../client/kit-error.ts'
import { type OnDemand, preload } from '../../client/on-demand.ts'
import { loadFailure } from './load-failure.ts'

/** A part of an element that the page loads on demand. */
export interface NeededPart<Part> {
  /** Returns the part, or null until it is loaded. */
  get(): Part | null
  /** Loads the part. Resolves with null after a failure, which {@link failure} then shows. */
  need(): Promise<Part | null>
  /** Renders why the part could not be loaded, with a button that tries again. */
  failure(): TemplateResult | typeof nothing
}

/**
 * Returns a part of an element. The part is preloaded after the first rendering, and `open` is called once with the loaded
 * module. After each `need`, the element renders again.
 */
export function partOf<Module, Part>(
  element: ReactiveControllerHost,
  module: OnDemand<Module>,
  open: (module: Module) => Part,
): NeededPart<Part> {
  let part: Part | null = null
  let error: KitError | null = null
  const get = (): Part | null => {
    const loaded = module.get()
    part ??= loaded === null ? null : open(loaded)
    return part
  }
  const need = async (): Promise<Part | null> => {
    error = await module.load().then(() => null, unlessFault)
    element.requestUpdate()
    return get()
  }
  let isPreloading = false
  element.addController({
    hostUpdated() {
      if (!isPreloading) preload(module)
      isPreloading = true
    },
  })
  return { get, need, failure: () => (part === null ? loadFailure(error, need) : nothing) }
}

function unlessFault(error: unknown): KitError {
  if (isKitError(error)) return error
  throw error
}
