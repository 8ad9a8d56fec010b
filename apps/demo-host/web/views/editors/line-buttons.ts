import { html, LitElement, type TemplateResult } from 'lit'
import type { Form, FormValues } from '../../form/form.ts'
import { icon } from '../../icons.ts'

/** The lines of a form. */
interface FormLines<V extends FormValues> {
  readonly form: Form<V>
  /** The name of the lines among the values of the form. */
  readonly name: string
  readonly lines: readonly FormValues[]
}

/** Renders the button that adds a line. The focus moves to the first field of the new line. */
export function addLineButton<V extends FormValues>(
  { form, name }: Pick<FormLines<V>, 'form' | 'name'>,
  blank: FormValues,
): TemplateResult {
  const add = ({ currentTarget }: Event) => {
    form.addLine(name, blank)
    void focusIn(currentTarget, '.lines tbody tr:last-child input')
  }
  return html`<p>
    <button type="button" class="button small add-line" @click=${add}>${icon('plus')} Add a line</button>
  </p>`
}

/** Renders the button that removes a line. The focus moves to the button of the next line, or to the one that adds a line. */
export function removeLineButton<V extends FormValues>(
  { form, name, lines }: FormLines<V>,
  index: number,
): TemplateResult {
  const label = `Remove line ${index + 1}`
  const remove = ({ currentTarget, detail }: MouseEvent) => {
    // The next line is now below the second click of a double click.
    if (detail > 1) return
    form.removeLine(name, index)
    void focusIn(currentTarget, `[aria-label="${label}"]:enabled, .add-line`)
  }
  return html`<button
    type="button"
    class="button quiet square"
    aria-label=${label}
    ?disabled=${lines.length === 1}
    @click=${remove}
  >
    ${icon('trash')}
  </button>`
}

/** Focuses an element of the view after the view and its fields are rendered. */
async function focusIn(origin: EventTarget | null, selector: string): Promise<void> {
  const view = origin instanceof Element ? origin.closest('demo-entry') : null
  if (!(view instanceof LitElement)) return
  await view.updateComplete
  const fields = [...view.querySelectorAll('demo-picker')].filter((field) => field instanceof LitElement)
  await Promise.all(fields.map((field) => field.updateComplete))
  view.querySelector<HTMLElement>(selector)?.focus()
}
