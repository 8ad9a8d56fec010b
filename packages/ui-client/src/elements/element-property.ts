import type { PropertyDeclaration } from 'lit'

/** The options of a property: those of Lit, and `accept`. */
export interface ElementProperty extends PropertyDeclaration {
  /**
   * Returns the given value, or the default for a value that the element cannot show. A page may pass on null, undefined, or a
   * text of its URL.
   */
  readonly accept?: (value: unknown) => unknown
}

/** The options of all properties of an element, by name. */
export type ElementProperties = Readonly<Record<string, ElementProperty>>

/** Accepts every value. The default is undefined, also for null. */
export const optional = (value: unknown): unknown => value ?? undefined

/** Accepts the given texts. The first of them is the default. */
export const oneOf =
  (...known: readonly string[]) =>
  (value: unknown): unknown =>
    known.find((one) => one === value) ?? known[0]

/** Accepts values of the same type as the default: texts, or objects and lists. */
export const typeOf =
  (initial: unknown) =>
  (value: unknown): unknown =>
    value !== null && typeof value === typeof initial ? value : initial
