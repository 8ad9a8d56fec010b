import { isKitError, type KitError } from '@vertical-kit/ui-client'
import { atom, type ReadableAtom } from 'nanostores'

/** Values of a form: text as it was typed, and lists of such. */
export interface FormValues {
  readonly [name: string]: string | readonly FormValues[]
}

/** A form while it is filled in. */
export interface FormState<V extends FormValues> {
  readonly values: V
  /** What the service said is wrong, by path: `lines.0.unitPrice`. */
  readonly errors: ReadonlyMap<string, string>
  readonly isDirty: boolean
  readonly isSaving: boolean
  /** Why it could not be saved, when that is not about single fields. */
  readonly problem: KitError | null
}

export interface Form<V extends FormValues> {
  readonly $state: ReadableAtom<FormState<V>>
  /** Changes one value; its error is gone with it. */
  set(path: string, value: string): void
  /** Changes the lines of a list; all errors within it are gone. */
  setLines(name: string, lines: readonly FormValues[]): void
  /** Starts over from these values. */
  reset(values: V): void
  /** Sends it, once at a time. Resolves with the answer; with null when it was refused, which the form then shows. */
  submit<T>(send: (values: V) => Promise<T>): Promise<T | null>
}

/** Makes a form over its first values. */
export function createForm<V extends FormValues>(initial: V): Form<V> {
  const clean = (values: V): FormState<V> => ({
    values,
    errors: new Map(),
    isDirty: false,
    isSaving: false,
    problem: null,
  })
  const $state = atom(clean(initial))
  const change = (values: V, stays: (path: string) => boolean) => {
    const state = $state.get()
    const errors = new Map([...state.errors].filter(([path]) => stays(path)))
    $state.set({ ...state, values, errors, isDirty: true })
  }
  return {
    $state,
    set(path, value) {
      change(replace($state.get().values, path.split('.'), value) as V, (other) => other !== path)
    },
    setLines(name, lines) {
      change(
        { ...$state.get().values, [name]: lines },
        (path) => path !== name && !path.startsWith(`${name}.`),
      )
    },
    reset: (values) => $state.set(clean(values)),
    async submit(send) {
      if ($state.get().isSaving) return null
      const { values } = $state.get()
      $state.set({ ...$state.get(), isSaving: true, problem: null, errors: new Map() })
      try {
        const answer = await send(values)
        const now = $state.get().values
        // What was typed meanwhile is still to be saved.
        $state.set({ ...clean(now), isDirty: now !== values })
        return answer
      } catch (error) {
        if (!isKitError(error)) {
          $state.set({ ...$state.get(), isSaving: false })
          // The session has ended, and the form with it.
          if (error instanceof DOMException && error.name === 'AbortError') return null
          throw error
        }
        const errors = new Map(error.errors.map(({ path, message }) => [inForm(path), message]))
        $state.set({ ...$state.get(), isSaving: false, errors, problem: errors.size > 0 ? null : error })
        return null
      }
    },
  }
}

/** The value at a path. */
export function valueAt(values: FormValues, path: string): string {
  let value: unknown = values
  for (const step of path.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : ''
  return typeof value === 'string' ? value : ''
}

/** Fields lie one step deeper in a request than in the form. */
const inForm = (path: string): string => path.replace(/^fields\./, '')

function replace(value: unknown, [step, ...rest]: readonly string[], text: string): unknown {
  if (step === undefined) return text
  if (Array.isArray(value))
    return value.map((line, index) => (String(index) === step ? replace(line, rest, text) : line))
  const object = value as Record<string, unknown>
  return { ...object, [step]: replace(object[step], rest, text) }
}
