import { html, nothing, type TemplateResult } from 'lit'
import type { KitError } from '../../client/kit-error.ts'
import type { RowState } from '../../stores/administration/index.ts'
import type { Role } from '../../wire/security.ts'
import { errorText, sharedTexts } from '../texts.ts'
import { failedChange } from './parts.ts'
import { currentTexts } from './texts.ts'

/** The texts of a role that an administrator can change. */
export type RoleTexts = Pick<Role, 'code' | 'name' | 'description'>

export interface RoleForm {
  /** The name of the form for screen readers. */
  readonly label: string
  readonly role: RoleTexts
  readonly row: RowState | undefined
  /** Called after each change of the input. */
  keep(): void
  cancel(): void
  save(texts: RoleTexts): Promise<void>
}

type Field = keyof RoleTexts

// The service has the same limits.
const maxChars: Readonly<Record<Field, number>> = { code: 100, name: 200, description: 2000 }

const codePattern = '[a-z0-9]+([._\\-][a-z0-9]+)*'

/** Returns the messages of an error about a field. */
function messagesOf(error: KitError | null, field: Field): readonly string[] {
  if (error === null) return []
  if (error.code === 'roles.code_taken') return field === 'code' ? [errorText(error)] : []
  return error.errors.flatMap(({ path, message }) => (path === field ? [message] : []))
}

/** Renders the form for the texts of a role. The errors of the service are shown at their fields. */
export function roleForm({ label, role, row, keep, cancel, save }: RoleForm): TemplateResult {
  const texts = currentTexts()
  const error = row?.status === 'failed' ? row.error : null
  const fields = ['name', 'code', 'description'] as const
  const isShown = fields.some((field) => messagesOf(error, field).length > 0)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const data = new FormData(event.target as HTMLFormElement)
    const field = (name: Field) => String(data.get(name) ?? '').trim()
    void save({ code: field('code'), name: field('name'), description: field('description') })
  }
  const input = (name: Field, title: string, hint?: string) => {
    const messages = messagesOf(error, name)
    return html`<div>
      <label class="field">
        ${title}
        <input
          part="field"
          name=${name}
          .defaultValue=${role[name]}
          ?required=${name !== 'description'}
          maxlength=${maxChars[name]}
          pattern=${name === 'code' ? codePattern : nothing}
          title=${name === 'code' ? texts.codeHint : nothing}
          autocapitalize=${name === 'code' ? 'none' : nothing}
          autocomplete="off"
          dir="auto"
          aria-invalid=${messages.length > 0}
          aria-describedby="about-${name}"
        />
      </label>
      <div id="about-${name}" class="small">
        ${hint === undefined ? nothing : html`<p class="muted">${hint}</p>`}
        ${messages.map((message) => html`<p class="wrong" role="alert">${message}</p>`)}
      </div>
    </div>`
  }
  return html`<form class="stack card wide" aria-label=${label} @input=${keep} @submit=${submit}>
    <div class="fields">
      ${input('name', texts.name)} ${input('code', texts.code, texts.codeHint)}
      ${input('description', texts.description)}
    </div>
    ${isShown ? nothing : failedChange(row)}
    <div class="row">
      <button part="button button-primary" class="primary small" aria-disabled=${row?.status === 'pending'}>${texts.save}</button>
      <button part="button" type="button" class="small" @click=${cancel}>${sharedTexts().common.cancel}</button>
    </div>
  </form>`
}

export interface RoleFormButton {
  readonly row: string
  /** The name of the role, or null for a new role. */
  readonly name: string | null
  readonly isOpen: boolean
  toggle(): void
}

/** Renders the button that opens and closes the form of a row. */
export function roleFormButton({ row, name, isOpen, toggle }: RoleFormButton): TemplateResult {
  const texts = currentTexts()
  return html`<button
    part=${name === null ? 'button button-primary' : 'button'}
    class=${name === null ? 'primary' : 'small'}
    data-form=${row}
    aria-label=${name === null ? nothing : texts.editRoleOf(name)}
    aria-expanded=${isOpen}
    @click=${toggle}
  >
    ${name === null ? texts.addRole : texts.editRole}
  </button>`
}
