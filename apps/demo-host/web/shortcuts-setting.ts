import { html, type TemplateResult } from 'lit'

const storageKey = 'demo.shortcuts'

/** Returns whether single letters are shortcuts in the Work Center: the user's choice in this browser (WCAG 2.1.4). */
export const hasShortcuts = (): boolean => localStorage.getItem(storageKey) !== 'off'

/** Renders the choice. The Work Center reads it when it is shown. */
export function shortcutsSetting(): TemplateResult {
  const change = ({ target }: Event) => {
    if ((target as HTMLInputElement).checked) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, 'off')
  }
  return html`<label>
      <input type="checkbox" .checked=${hasShortcuts()} @change=${change} />
      Use single letters as shortcuts in the Work Center
    </label>
    <p class="muted">Switch this off if you use speech input, or if you press letters by mistake.</p>`
}
