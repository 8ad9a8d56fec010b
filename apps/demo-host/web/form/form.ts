import { isKitError, type KitError } from '@vertical-kit/ui-client'
import { atom, type ReadableAtom } from 'nanostores'

/** The values of a form: typed text, and lists of lines. */
export interface FormValues {
  readonly [name: string]: string | readonly FormValues[]
}

/** The state of a form. */
export interface FormState<V extends FormValues> {
  readonly values: V
  /** The service's error messages by the path of the field, for example `lines.0.unitPrice`. */
  readonly errors: ReadonlyMap<string, string>
  readonly isDirty: boolean
  /** The texts that are no values yet, by the path of the field: the user is still searching for an entry. */
  readonly typing: ReadonlyMap<string, string>
  readonly isSaving: boolean
  /** The error of the last submission. It is null if the error concerns individual fields. */
  readonly problem: KitError | null
}

export interface Form<V extends FormValues> {
  readonly $state: ReadableAtom<FormState<V>>
  /** Changes one value, and removes the error and the typed text of its field. */
  set(path: string, value: string): void
  /** Tells the form that the text of a field is not a value yet; null: it is a value again. Removes the error of the field. */
  type(path: string, text: string | null): void
  /** Adds an error to a field. */
  refuse(path: string, error: string): void
  /** Adds a line at the end of a list, and removes the error of the list. */
  addLine(name: string, line: FormValues): void
  /** Removes a line of a list, with its errors and typed texts. Those of later lines move with their lines. */
  removeLine(name: string, index: number): void
  /** Replaces all values, removes all errors, and marks the form as unchanged. */
  reset(values: V): void
  /** Replaces all values with unsaved ones. `typing`: the texts that were no values yet. */
  restore(values: V, typing?: FormState<V>['typing']): void
  /** Sends the values, one request at a time. Resolves with the response, or with null if the form shows a refusal. */
  submit<T>(send: (values: V) => Promise<T>): Promise<T | null>
}

/** Returns whether a form contains input that is not saved. */
export const hasInput = ({ isDirty, typing }: FormState<FormValues>): boolean => isDirty || typing.size > 0

/** Creates a form with initial values. */
export function createForm<V extends FormValues>(initial: V): Form<V> {
  const blank = { errors: new Map(), isDirty: false, isSaving: false, problem: null }
  const $state = atom<FormState<V>>({ ...blank, values: initial, typing: new Map() })
  // `typing` stays: the control of a field decides when its text is a value.
  const clean = (values: V): FormState<V> => ({ ...$state.get(), ...blank, values })
  /** `placeOf` returns the new path of the error and the typed text of a field, or null if they no longer apply. */
  const change = (values: V, placeOf: (path: string) => string | null) => {
    const state = $state.get()
    const moved = (texts: ReadonlyMap<string, string>) =>
      new Map(
        [...texts].flatMap(([path, text]): [string, string][] => {
          const place = placeOf(path)
          return place === null ? [] : [[place, text]]
        }),
      )
    const [errors, typing] = [moved(state.errors), moved(state.typing)]
    $state.set({ ...state, values, errors, typing, isDirty: true })
  }
  const linesOf = (name: string) => $state.get().values[name] as readonly FormValues[]
  return {
    $state,
    set(path, value) {
      change(replace($state.get().values, path.split('.'), value) as V, (other) =>
        other === path ? null : other,
      )
    },
    type(path, text) {
      const state = $state.get()
      const [typing, errors] = [new Map(state.typing), new Map(state.errors)]
      if (text === null) typing.delete(path)
      else typing.set(path, text)
      errors.delete(path)
      $state.set({ ...state, typing, errors })
    },
    refuse: (path, error) =>
      $state.set({ ...$state.get(), errors: new Map([...$state.get().errors, [path, error]]) }),
    addLine(name, line) {
      change({ ...$state.get().values, [name]: [...linesOf(name), line] }, (path) =>
        path === name ? null : path,
      )
    },
    removeLine(name, index) {
      change({ ...$state.get().values, [name]: linesOf(name).toSpliced(index, 1) }, (path) => {
        const [list, line, ...rest] = path.split('.')
        if (list !== name) return path
        const at = Number(line)
        if (line === undefined || at === index) return null
        return [name, at < index ? at : at - 1, ...rest].join('.')
      })
    },
    reset: (values) => $state.set(clean(values)),
    restore: (values, typing = $state.get().typing) =>
      $state.set({ ...clean(values), typing, isDirty: true }),
    async submit(send) {
      if ($state.get().isSaving) return null
      const { values } = $state.get()
      $state.set({ ...$state.get(), isSaving: true, problem: null, errors: new Map() })
      try {
        const answer = await send(values)
        const now = $state.get().values
        // If the user typed text during the request, this text is still unsaved.
        $state.set({ ...clean(now), isDirty: now !== values })
        return answer
      } catch (error) {
        if (!isKitError(error)) {
          $state.set({ ...$state.get(), isSaving: false })
          // The session has ended, so the form is no longer shown.
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

/** Returns the value at a path, or an empty string. */
export function valueAt(values: FormValues, path: string): string {
  let value: unknown = values
  for (const step of path.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : ''
  return typeof value === 'string' ? value : ''
}

/** Converts a path of the request to a path of the form. Paths of the form do not begin with `fields`. */
const inForm = (path: string): string => path.replace(/^fields\./, '')

function replace(value: unknown, [step, ...rest]: readonly string[], text: string): unknown {
  if (step === undefined) return text
  if (Array.isArray(value))
    return value.map((line, index) => (String(index) === step ? replace(line, rest, text) : line))
  const object = value as Record<string, unknown>
  return { ...object, [step]: replace(object[step], rest, text) }
}
