import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { amountText, isTooLarge, largestAmount, numberExample, tidyAmount } from './amounts.ts'
import { type Form, type FormValues, valueAt } from './form.ts'

/** One field of a form. */
export interface FieldOptions {
  readonly path: string
  readonly label: string
  /** Whether the label is only for screen readers, because a column heading shows it. */
  readonly isLabelHidden?: boolean
  readonly autocomplete?: string
}

interface TextOptions extends FieldOptions {
  readonly type?: 'text' | 'date' | 'email' | 'tel'
  readonly inputmode?: 'decimal'
  /** Whether the value is an amount. The field shows it in the notation of the user, and completes it when the user leaves. */
  readonly isAmount?: boolean
}

/** Renders a field for one line of text, a date or a number. */
export function textField<V extends FormValues>(form: Form<V>, options: TextOptions): TemplateResult {
  const { path, type = 'text', isAmount = false, inputmode = isAmount ? 'decimal' : undefined } = options
  const onInput = (event: Event) => form.set(path, (event.target as HTMLInputElement).value)
  const onChange = (event: Event) => {
    if (!isAmount) return
    const input = event.target as HTMLInputElement
    const amount = tidyAmount(input.value)
    // Otherwise the text would still count as typed.
    input.value = amountText(amount)
    if (amount !== valueAt(form.$state.get().values, path)) form.set(path, amount)
  }
  return field(
    form,
    options,
    ({ id, value, invalid, described }) => html`<input
    class=${inputmode === 'decimal' ? 'input number' : 'input'}
    id=${id}
    name=${path}
    type=${type}
    inputmode=${inputmode ?? nothing}
    autocomplete=${options.autocomplete ?? 'off'}
    aria-invalid=${invalid}
    aria-describedby=${described}
    .value=${live(isAmount && !isTyped(id, value) ? amountText(value) : value)}
    @input=${onInput}
    @change=${onChange}
  />`,
  )
}

/** Returns whether the user has typed the value and is still in the field: `1.23` can become `1.234,50`. */
function isTyped(id: string, value: string): boolean {
  const input = document.activeElement
  return input instanceof HTMLInputElement && input.id === id && input.value === value
}

/** Renders a read-only value with the layout of a field. */
export function readField(label: string, value: TemplateResult | string): TemplateResult {
  return html`<div class="field"><dt class="label">${label}</dt><dd class="value">${value === '' ? '—' : value}</dd></div>`
}

/** The state of a field that its control shows. */
export interface ControlState {
  readonly id: string
  readonly value: string
  readonly invalid: 'true' | typeof nothing
  readonly described: string | typeof nothing
}

/** Renders the label, the control and the error of a field. */
export function field<V extends FormValues>(
  form: Form<V>,
  { path, label, isLabelHidden = false }: FieldOptions,
  control: (state: ControlState) => TemplateResult,
): TemplateResult {
  const { values, errors } = form.$state.get()
  const id = `field-${path.replaceAll('.', '-')}`
  const value = valueAt(values, path)
  const error = errors.get(path)
  const hasError = error !== undefined
  return html`<div class="field">
    <label for=${id} class=${isLabelHidden ? 'visually-hidden' : ''}>${label}</label>
    ${control({ id, value, invalid: hasError ? 'true' : nothing, described: hasError ? `${id}-error` : nothing })}
    ${hasError ? html`<p class="field-error" id="${id}-error">${messageFor(error, value)}</p>` : nothing}
  </div>`
}

/** The error of a field whose text does not find an entry. */
export const notInList = 'is not in the list'

/**
 * Returns the error message of a field. An empty field has the message that it is required. A large amount can have the
 * correct format, so its message names the limit.
 */
function messageFor(error: string, value: string): string {
  if (value.trim() === '' && error !== notInList) return 'This field is required.'
  if (error.startsWith('expected an amount') && isTooLarge(value))
    return `Enter an amount of at most ${largestAmount}.`
  return instructionFor(error)
}

/** Converts a message of the service, such as `expected at most 500 lines`, to an instruction. */
export function instructionFor(error: string): string {
  if (error === notInList) return 'Choose an entry from the list.'
  if (error === 'does not exist') return 'This entry no longer exists. Choose another one.'
  return error.startsWith('expected ')
    ? `Enter ${error.slice(9).replace(/^number$/, `a number, such as ${numberExample}`)}.`
    : `The value ${error}.`
}
