import type { TemplateResult } from 'lit'
import type { Desk } from '../../data/desk.ts'
import type { Entry } from '../../data/entries.ts'
import type { Form, FormValues } from '../../form/form.ts'

/** How the entries of one list are read and written: what the entry view is told of a type. */
export interface Editor<V extends FormValues = FormValues> {
  /** What has to be known of other lists before it can be shown. */
  readonly needs: (desk: Desk) => void
  /** A new one's values. */
  readonly blank: (query: URLSearchParams) => V
  readonly valuesOf: (entry: Entry) => V
  /** What is sent. */
  readonly bodyOf: (values: V) => object
  readonly form: (form: Form<V>, desk: Desk) => TemplateResult
  /** The same to read, when it is not to be changed. */
  readonly sheet: (entry: Entry, desk: Desk) => TemplateResult
}

/** Ties an editor to its own values; outside of here all look alike. */
export const defineEditor = <V extends FormValues>(editor: Editor<V>): Editor => editor as unknown as Editor
