import { html, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { Role } from '../../wire/security.ts'
import { roleName } from '../service-texts.ts'

/**
 * Renders one checkbox for each role. The form data contains the ids of the checked roles as `roleIds`.
 *
 * @param isSaved whether the role is checked without the user's changes
 */
export const roleChoices = (
  roles: readonly Pick<Role, 'id' | 'code' | 'name'>[],
  legend: string,
  isSaved: (id: string) => boolean,
  isChecked = isSaved,
): TemplateResult =>
  html`<fieldset part="group">
    <legend>${legend}</legend>
    <div class="row">
      ${repeat(
        roles,
        ({ id }) => id,
        (role) => html`<label>
          <input
            part="checkbox"
            type="checkbox"
            name="roleIds"
            value=${role.id}
            .defaultChecked=${isSaved(role.id)}
            .checked=${isChecked(role.id)}
          />
          <bdi>${roleName(role)}</bdi>
        </label>`,
      )}
    </div>
  </fieldset>`

/** Returns the ids of the checked roles of a form. */
export const checkedRoles = (form: HTMLFormElement): readonly string[] =>
  new FormData(form).getAll('roleIds').map(String)
