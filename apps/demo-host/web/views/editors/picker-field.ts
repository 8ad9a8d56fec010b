import { html, nothing, type TemplateResult } from 'lit'
import type { CatalogItem } from '../../../src/trade/catalogs/contract.ts'
import type { Lookup } from '../../data/lookup.ts'
import { type FieldOptions, field, notInList } from '../../form/controls.ts'
import type { Form, FormValues } from '../../form/form.ts'
import { DemoPicker } from '../demo-picker.ts'
import type { Choice, Choices, FindChoices } from '../picker-choices.ts'

interface PickerOptions extends FieldOptions {
  readonly placeholder: string
  /** The name of the current value. */
  readonly text: string
  readonly find: FindChoices
  /** If Tab has left the field before the choice, the function of the rendering of that moment is called. */
  readonly onChosen?: (value: string) => void
}

/** Renders a field in which the user chooses an entry of another list by typing a part of its name. */
export function pickerField<V extends FormValues>(form: Form<V>, options: PickerOptions): TemplateResult {
  const { path, placeholder, text, find, onChosen } = options
  const onChoose = (chosen: string) => {
    form.set(path, chosen)
    onChosen?.(chosen)
  }
  return field(
    form,
    options,
    ({ id, value, invalid, described }) => html`<demo-picker
    .inputId=${id}
    .value=${value}
    .text=${text}
    .typed=${form.$state.get().typing.get(path) ?? null}
    .placeholder=${placeholder}
    .invalid=${invalid === nothing ? undefined : invalid}
    .described=${described === nothing ? undefined : described}
    .find=${find}
    .onChoose=${onChoose}
    .choosesOnTab=${true}
    @picker-type=${({ detail }: CustomEvent<string | null>) => form.type(path, detail)}
    @picker-fail=${() => form.refuse(path, notInList)}
  ></demo-picker>`,
  )
}

/** Chooses the entries of the texts in the pickers of a view. Resolves with false if a text does not say which entry it means. */
export async function chooseTyped(view: ParentNode): Promise<boolean> {
  const pickers = [...view.querySelectorAll('demo-picker')].filter((one) => one instanceof DemoPicker)
  const isChosen = await Promise.all(pickers.map((picker) => picker.chooseTyped()))
  return !isChosen.includes(false)
}

/** Returns the name of an item, or its id if it was deleted or is hidden from the user. Empty while it is unknown. */
export function itemName({ find }: Lookup<CatalogItem>, id: string): string {
  const item = find(id)
  return item === null ? id : (item?.name ?? '')
}

/** Returns the search for items of a catalog. Without a text, it returns the first ones by name. */
export function findItems(
  catalog: Lookup<CatalogItem>,
  hintOf: (item: CatalogItem) => string,
): (text: string, signal: AbortSignal) => Promise<Choices> {
  const choiceOf = (item: CatalogItem): Choice => ({ value: item.id, label: item.name, hint: hintOf(item) })
  return async (text, signal) => {
    const { items, hasMore } = await catalog.search({ q: text.trim(), sort: 'name' }, signal)
    return { choices: items.map(choiceOf), hasMore }
  }
}
