import type { nothing, ReactiveControllerHost, TemplateResult } from 'lit'
import { isKitError, type KitError } from '../../client/kit-error.ts'
import { type OnDemand, preload } from '../../client/on-demand.ts'
import { loadFailure } from './load-failure.ts'

/** A part of an element that the page loads on demand. */
export interface NeededPart<Part> {
  /** Returns the part, or null until it is loaded. */
  get(): Part | null
  /** Loads the part, and renders the element again. Resolves with null after a failure, which {@link failure} then shows. */
  need(): Promise<Part | null>
  /** Renders why the part could not be loaded, with a button that tries again. */
  failure(): TemplateResult | typeof nothing
  /** Renders with the part. Loads it if needed, and renders nothing until then, or why it could not be loaded. */
  show(render: (part: Part) => unknown): unknown
}

/**
 * Returns a part of an element, which the page preloads after the first rendering. `open` is called once with the loaded module.
 */
export function partOf<Module, Part>(
  element: ReactiveControllerHost,
  module: OnDemand<Module>,
  open: (module: Module) => Part,
): NeededPart<Part> {
  let part: Part | null = null
  let error: KitError | null = null
  let loading: Promise<Part | null> | null = null
  const get = (): Part | null => {
    const loaded = module.get()
    part ??= loaded === null ? null : open(loaded)
    return part
  }
  const load = async (): Promise<Part | null> => {
    error = await module.load().then(() => null, unlessFault)
    loading = null
    element.requestUpdate()
    return get()
  }
  const need = (): Promise<Part | null> => {
    loading ??= load()
    return loading
  }
  const failure = () => loadFailure(error, need)
  let isPreloading = false
  element.addController({
    hostUpdated() {
      if (!isPreloading) preload(module)
      isPreloading = true
    },
  })
  return {
    get,
    need,
    failure,
    show(render) {
      const shown = get()
      if (shown !== null) return render(shown)
      // After a failure, only the user tries again.
      if (error === null) void need()
      return failure()
    },
  }
}

function unlessFault(error: unknown): KitError {
  if (isKitError(error)) return error
  throw error
}
