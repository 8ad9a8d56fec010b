import { AskDialog } from '../parts/ask-dialog.ts'
import { ListEnd } from '../parts/list-end.ts'
import { OutboxPanel } from './outbox-panel.ts'
import { RolesPanel } from './roles-panel.ts'
import { StatusPanel } from './status-panel.ts'
import { UsersPanel } from './users-panel.ts'

/** The elements for administrators and their parts, by tag name. */
const elements: Readonly<Record<string, CustomElementConstructor>> = {
  'vk-ask-dialog': AskDialog,
  'vk-list-end': ListEnd,
  'vk-outbox': OutboxPanel,
  'vk-roles': RolesPanel,
  'vk-status': StatusPanel,
  'vk-users': UsersPanel,
}

declare global {
  interface HTMLElementTagNameMap {
    'vk-outbox': OutboxPanel
    'vk-roles': RolesPanel
    'vk-status': StatusPanel
    'vk-users': UsersPanel
  }
}

/** Registers the elements for administrators with the page. Skips tags that are already registered. */
export function defineAdministrationElements(): void {
  for (const [tag, element] of Object.entries(elements)) {
    if (customElements.get(tag) === undefined) customElements.define(tag, element)
  }
}
