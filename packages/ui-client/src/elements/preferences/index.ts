export { definePreferencesElements } from './define-elements.ts'
export { PreferencesPanel } from './preferences-panel.ts'
