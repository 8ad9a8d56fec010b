import { define } from '../define.ts'
import { PreferencesPanel } from './preferences-panel.ts'

declare global {
  interface HTMLElementTagNameMap {
    'vk-preferences': PreferencesPanel
  }
}

/** Registers the elements for preferences with the page, and those that they use. Skips tags that are already registered. */
export const definePreferencesElements = (): void =>
  define({
    'vk-preferences': PreferencesPanel,
  })
