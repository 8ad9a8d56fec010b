import { html, type TemplateResult } from 'lit'
import { initialsOf } from '../format.ts'
import { type IconName, icon } from '../icons.ts'
import { setTheme, type Theme, themes } from '../theme.ts'
import type { Workspace } from '../workspace.ts'

const faces: Record<Theme, { readonly label: string; readonly icon: IconName }> = {
  system: { label: 'System', icon: 'half' },
  light: { label: 'Light', icon: 'sun' },
  dark: { label: 'Dark', icon: 'moon' },
}

/** Renders the user menu: the user's name and roles, the choice of the theme, and the button to sign out. */
export function userMenu({ user, access }: Workspace, theme: Theme, signOut: () => void): TemplateResult {
  const roles = access.isAdministrator ? 'Administrator' : access.roles.map(({ name }) => name).join(', ')
  return html`<button
      class="button quiet user-button"
      popovertarget="user-menu"
    >
      <span class="initials" aria-hidden="true">${initialsOf(user.displayName)}</span>
      <span class="user-name">${user.displayName}</span><span class="visually-hidden">: account and appearance</span>
    </button>
    <div class="user-menu" id="user-menu" popover>
      <div>
        <p class="who"><bdi>${user.displayName}</bdi></p>
        <p class="hint">${user.email}</p>
        <p class="hint">${roles === '' ? 'No role' : roles}</p>
      </div>
      <fieldset>
        <legend class="visually-hidden">Appearance</legend>
        <div class="segments">${themes.map((option) => themeOption(option, theme))}</div>
      </fieldset>
      <button class="button wide" @click=${signOut}>Sign out</button>
    </div>`
}

function themeOption(option: Theme, current: Theme): TemplateResult {
  const face = faces[option]
  return html`<label>
    <input
      type="radio"
      name="theme"
      .checked=${option === current}
      @change=${() => setTheme(option)}
    />
    ${icon(face.icon)} ${face.label}
  </label>`
}
