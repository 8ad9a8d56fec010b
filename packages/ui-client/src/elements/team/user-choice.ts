import { html, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { Substitutes } from '../../wire/team.ts'
import { textsOf } from '../texts.ts'
import { teamFormsEnglish } from './form-texts.ts'

type Users = Substitutes['users']

/** Renders the users to choose from. The keys keep the choice of a user who is still listed after a search. */
export const userOptions = (users: Users, prefix = ''): unknown =>
  repeat(
    users,
    ({ userId }) => userId,
    ({ userId, displayName }) => html`<option value="${prefix}${userId}">${displayName}</option>`,
  )

/** Renders the field that finds other users as the user types. Enter does not submit the form, whose choice may be an older one. */
export const userSearch = (search: (event: Event) => unknown): TemplateResult =>
  html`<label>
    ${textsOf(teamFormsEnglish).team.findUsers}
    <input
      part="field"
      type="search"
      maxlength="200"
      @input=${search}
      @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault()}
    />
  </label>`
