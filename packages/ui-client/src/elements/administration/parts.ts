import { html, nothing, type TemplateResult } from 'lit'
import type { RowState } from '../../stores/administration/index.ts'
import type { Role } from '../../wire/security.ts'
import { roleName } from '../service-texts.ts'
import { errorText } from '../texts.ts'

/** Renders the error of a failed change, or nothing. */
export const failedChange = (row: RowState | undefined): TemplateResult | typeof nothing =>
  row?.status === 'failed'
    ? html`<div class="banner wide" role="alert"><span>${errorText(row.error)}</span></div>`
    : nothing

/** Renders one checkbox for each role. The form data contains the ids of the checked roles as `roleIds`. */
export const roleChoices = (
  roles: readonly Role[],
  legend: string,
  isChecked: (id: string) => boolean,
): TemplateResult =>
  html`<fieldset>
    <legend>${legend}</legend>
    <div class="row">
      ${roles.map(
        (role) => html`<label>
          <input type="checkbox" name="roleIds" value=${role.id} .checked=${isChecked(role.id)} /> <bdi>${roleName(role)}</bdi>
        </label>`,
      )}
    </div>
  </fieldset>`

/** Returns the ids of the checked roles of a form. */
export const checkedRoles = (form: HTMLFormElement): readonly string[] =>
  new FormData(form).getAll('roleIds').map(String)

/** Renders a table that scrolls in a narrow container. The keyboard can reach it, because it may have no other control. */
export const scrollingTable = (label: string, table: TemplateResult): TemplateResult =>
  html`<div class="scroll" role="region" tabindex="0" aria-label=${label}>${table}</div>`
