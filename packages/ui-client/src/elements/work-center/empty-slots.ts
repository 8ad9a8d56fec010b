import { html, type TemplateResult } from 'lit'
import type { Tab } from '../../wire/work-center.ts'

/** Puts the content of an empty tab into the slot of this tab. */
export const emptySlots: Readonly<Record<Tab, (general: TemplateResult) => TemplateResult>> = {
  attention: (general) => html`<slot name="empty-attention">${general}</slot>`,
  tasks: (general) => html`<slot name="empty-tasks">${general}</slot>`,
  notifications: (general) => html`<slot name="empty-notifications">${general}</slot>`,
  completed: (general) => html`<slot name="empty-completed">${general}</slot>`,
}
