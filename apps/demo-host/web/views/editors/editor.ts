import type { TemplateResult } from 'lit'
import type { Desk } from '../../data/desk.ts'
import type { Entry } from '../../data/entries.ts'
import type { Form, FormValues } from '../../form/form.ts'

/** A value of a form as text. Its label is unique within the form. */
export interface Fact {
  readonly label: string
  readonly text: string
}

/** The parts of the entry view that depend on the list: they show and edit an entry. */
export interface Editor<V extends FormValues = FormValues> {
  /** Returns the initial values for a new entry. */
  readonly blank: (query: URLSearchParams) => V
  readonly valuesOf: (entry: Entry) => V
  /** Describes the values as text, each with the label of its field. */
  readonly factsOf: (values: V, desk: Desk) => readonly Fact[]
  /** Returns the body of the request that saves the entry. */
  readonly bodyOf: (values: V) => object
  readonly form: (form: Form<V>, desk: Desk) => TemplateResult
  /** The field that identifies a line. Lines have no id. */
  readonly lineKey?: string
  /** Renders the entry as read-only text. */
  readonly sheet: (entry: Entry, desk: Desk) => TemplateResult
}

/** Returns the editor without the type of its values. The compiler checks the editor against that type first. */
export const defineEditor = <V extends FormValues>(editor: Editor<V>): Editor => editor as unknown as Editor
