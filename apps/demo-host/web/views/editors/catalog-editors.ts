import { html } from 'lit'
import { tidyAmount } from '../../form/amounts.ts'
import { readField, textField } from '../../form/controls.ts'
import { formatMoney } from '../../format.ts'
import { defineEditor, type Editor } from './editor.ts'

interface FieldDefinition {
  readonly name: string
  readonly label: string
  readonly type?: 'email' | 'tel'
  readonly isAmount?: boolean
}

/** The editor of customers. */
export const customerEditor = catalogEditor([
  { name: 'email', label: 'Email', type: 'email' },
  { name: 'phone', label: 'Phone', type: 'tel' },
  { name: 'city', label: 'City' },
])

/** The editor of items. */
export const itemEditor = catalogEditor([
  { name: 'sku', label: 'SKU' },
  { name: 'unit', label: 'Unit' },
  { name: 'unitPrice', label: 'Price', isAmount: true },
])

/** Creates the editor of a catalog. The catalog's items have a name and optional fields. */
function catalogEditor(fields: readonly FieldDefinition[]): Editor {
  return defineEditor<Readonly<Record<string, string>>>({
    blank: () => ({ name: '', ...Object.fromEntries(fields.map(({ name }) => [name, ''])) }),
    valuesOf(entry) {
      if ('number' in entry) throw new Error('Expected an item of a catalog')
      const values = fields.map(({ name }) => [name, textOf(entry.fields[name])])
      return { name: entry.name, ...Object.fromEntries(values) }
    },
    factsOf: (values) =>
      [{ name: 'name', label: 'Name' }, ...fields].map(({ name, label }) => ({
        label,
        text: values[name] ?? '',
      })),
    bodyOf(values) {
      const given = fields
        .map(({ name, isAmount = false }) => [
          name,
          isAmount ? tidyAmount(values[name] ?? '') : (values[name] ?? ''),
        ])
        .filter(([, value]) => value?.trim() !== '')
      return { name: values['name'], fields: Object.fromEntries(given) }
    },
    form: (form) => html`<div class="section fields">
      ${textField(form, { path: 'name', label: 'Name' })}
      ${fields.map(({ name, label, type, isAmount = false }) =>
        textField(form, {
          path: name,
          label,
          ...(type && { type }),
          isAmount,
        }),
      )}
    </div>`,
    sheet(entry) {
      if ('number' in entry) return html``
      const shown = ({ name, isAmount = false }: FieldDefinition) => {
        const value = textOf(entry.fields[name])
        return isAmount ? formatMoney(value) : html`<bdi>${value === '' ? '—' : value}</bdi>`
      }
      return html`<dl class="section fields">
        ${readField('Name', html`<bdi>${entry.name}</bdi>`)}
        ${fields.map((field) => readField(field.label, shown(field)))}
      </dl>`
    },
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
