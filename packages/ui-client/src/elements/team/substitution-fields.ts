import { html, nothing, type TemplateResult } from 'lit'
import type { SubstitutionStore } from '../../stores/substitution.ts'
import { textsOf } from '../texts.ts'
import { teamFormsEnglish } from './form-texts.ts'
import { userOptions, userSearch } from './user-choice.ts'

/** The fields of the form. */
export type SubstitutionField = 'userId' | 'from' | 'until'

/** The longest period, like in the service. With a day of 25 hours, it has 179 days. */
const maxDays = 180
const maxMs = maxDays * 86_400_000

const formTexts = () => textsOf(teamFormsEnglish).team

export interface SubstitutionFields {
  readonly store: SubstitutionStore
  /** The first wrong field. */
  readonly wrong: SubstitutionField | null
  /** The first day in the form, as its field has it. */
  readonly firstDay: string
  /** Called with the first day after each change. */
  input(firstDay: string): void
  refuse(wrong: SubstitutionField): void
  submit(substitution: Parameters<SubstitutionStore['set']>[0]): void
}

/** Renders the form that names a substitute. */
export function substitutionFields(form: SubstitutionFields): TemplateResult {
  const { store, firstDay, input } = form
  const texts = formTexts()
  const { status, users, hasMoreUsers } = store.$state.get()
  if (users.length === 0 && !hasMoreUsers) return html`<p>${texts.noSubstitutes}</p>`
  const today = dayOf(new Date())
  return html`<form
    part="form"
    class="stack"
    novalidate
    @input=${({ currentTarget }: Event) => input(String(new FormData(currentTarget as HTMLFormElement).get('from')))}
    @submit=${(event: SubmitEvent) => submit(form, event)}
  >
    ${hasMoreUsers ? userSearch(({ target }) => void store.find((target as HTMLInputElement).value.trim())) : nothing}
    <label>
      ${texts.substitute}
      <select part="field" name="userId" aria-invalid=${form.wrong === 'userId'} aria-describedby="wrong-userId">
        <option value="">${texts.chooseSubstitute}</option>
        ${userOptions(users)}
      </select>
    </label>
    ${message(form, 'userId', texts.chooseSubstitute)}
    ${day(form, 'from', { label: texts.firstDay })}
    ${day(form, 'until', {
      label: texts.lastDay,
      min: firstDay > today ? firstDay : today,
      max: firstDay === '' ? nothing : dayOf(startOfDay(firstDay, maxDays - 1)),
    })}
    <div class="row"><button part="button button-primary" class="primary" aria-disabled=${status === 'saving'}>${texts.saveSubstitution}</button></div>
  </form>`
}

function day(
  form: SubstitutionFields,
  field: SubstitutionField,
  { label, min, max }: { readonly label: string; readonly min?: unknown; readonly max?: unknown },
): TemplateResult {
  return html`<label>
      ${label}
      <input
        part="field"
        type="date"
        name=${field}
        min=${min ?? nothing}
        max=${max ?? nothing}
        aria-invalid=${form.wrong === field}
        aria-describedby="wrong-${field}"
      />
    </label>
    ${message(form, field, formTexts().wrongPeriod)}`
}

const message = (
  { wrong }: Pick<SubstitutionFields, 'wrong'>,
  field: SubstitutionField,
  text: string,
): TemplateResult =>
  html`<p id="wrong-${field}" class="wrong small" role="alert">${wrong === field ? text : nothing}</p>`

function submit(form: SubstitutionFields, event: SubmitEvent): void {
  event.preventDefault()
  const element = event.target as HTMLFormElement
  const data = new FormData(element)
  const userId = String(data.get('userId'))
  const from = startOfDay(String(data.get('from')), 0)
  const until = startOfDay(String(data.get('until')), 1)
  const ms = until.getTime() - from.getTime()
  // A comparison with an invalid date is false.
  const isPeriod = ms > 0 && ms <= maxMs && until > new Date()
  const wrong = userId === '' ? 'userId' : Number.isNaN(from.getTime()) ? 'from' : isPeriod ? null : 'until'
  if (wrong === null) {
    form.submit({ userId, fromUtc: from.toISOString(), untilUtc: until.toISOString() })
    return
  }
  form.refuse(wrong)
  element.querySelector<HTMLElement>(`[name=${wrong}]`)?.focus()
}

/** Returns a local day as a date field has it, such as `2026-11-30`. This is the Swedish format. */
const dayOf = (date: Date): string => date.toLocaleDateString('sv')

/** Returns the start of a local day, some days later; an invalid date if the text is no day. */
function startOfDay(day: string, later: number): Date {
  const [year = 0, month = Number.NaN, date = Number.NaN] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later)
}
