import { html, type TemplateResult } from 'lit'
import type { RowState } from '../../stores/administration/index.ts'
import type { Role } from '../../wire/security.ts'
import { sharedTexts } from '../texts.ts'
import { failedChange } from './parts.ts'
import { checkedRoles, roleChoices } from './role-choices.ts'
import { currentTexts } from './texts.ts'

export interface InviteForm {
  readonly roles: readonly Role[]
  readonly row: RowState | undefined
  /** Called after each change of the input. */
  keep(): void
  cancel(): void
  invite(person: {
    subject: string
    email: string | null
    displayName: string
    roleIds: readonly string[]
  }): Promise<void>
}

/** Renders the form that invites a person. The browser names missing fields. */
export function inviteForm({ roles, row, keep, cancel, invite }: InviteForm): TemplateResult {
  const texts = currentTexts()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.target as HTMLFormElement
    const data = new FormData(form)
    const field = (name: string) => String(data.get(name) ?? '').trim()
    const email = field('email')
    void invite({
      subject: field('subject'),
      displayName: field('displayName'),
      email: email === '' ? null : email,
      roleIds: checkedRoles(form),
    })
  }
  const input = (name: string, label: string, type: 'text' | 'email', hint = '') => html`<div>
    <label class="field">
      ${label}
      <input
        part="field"
        type=${type}
        name=${name}
        ?required=${type === 'text'}
        maxlength="255"
        autocomplete="off"
        dir="auto"
        aria-describedby="about-${name}"
      />
    </label>
    <p id="about-${name}" class="small muted">${hint}</p>
  </div>`
  return html`<form part="form" class="stack card" aria-label=${texts.invite} @input=${keep} @submit=${submit}>
    <div class="fields">
      ${input('subject', texts.subject, 'text', texts.subjectHint)} ${input('displayName', texts.name, 'text')}
      ${input('email', texts.email, 'email')}
    </div>
    ${roleChoices(roles, texts.roles, () => false)} ${failedChange(row)}
    <div class="row">
      <button part="button button-primary" class="primary" aria-disabled=${row?.status === 'pending'}>${texts.sendInvitation}</button>
      <button part="button" type="button" @click=${cancel}>${sharedTexts().common.cancel}</button>
    </div>
  </form>`
}
