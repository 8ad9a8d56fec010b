import { html, nothing, type TemplateResult } from 'lit'
import type { DocumentAction } from '../../wire/documents.ts'
import { reasonText, remedyText } from '../service-texts.ts'
import type { TextsOf } from '../texts.ts'

/** Renders the reasons against an action, what would lift them, and the roles that could perform the action. */
export const reasons = (
  { disabledReasons }: Pick<DocumentAction, 'disabledReasons'>,
  { actions }: TextsOf<'actions'>,
  roles: readonly string[],
): TemplateResult =>
  html`<p class="visually-hidden">${actions.unavailable}</p>
    ${disabledReasons.map((reason) => html`<p>${whyNot(reason)}</p>`)}
    ${roles.length === 0 ? nothing : html`<p><bdi>${actions.roles(roles)}</bdi></p>`}`

/** Renders a reason, followed by what would lift it. */
export const whyNot = (reason: DocumentAction['disabledReasons'][number]): TemplateResult =>
  html`${reasonText(reason)} ${remedyText(reason)}`
