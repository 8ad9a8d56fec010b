import { define } from '../define.ts'
import { AskDialog } from '../parts/ask-dialog.ts'
import { ListEnd } from '../parts/list-end.ts'
import { OutboxPanel } from './outbox-panel.ts'
import { RolesPanel } from './roles-panel.ts'
import { StatusPanel } from './status-panel.ts'
import { UsersPanel } from './users-panel.ts'

declare global {
  interface HTMLElementTagNameMap {
    'vk-outbox': OutboxPanel
    'vk-roles': RolesPanel
    'vk-status': StatusPanel
    'vk-users': UsersPanel
  }
}

/** Registers the elements for administrators with the page, and those that they use. Skips tags that are already registered. */
export const defineAdministrationElements = (): void =>
  define({
    'vk-ask-dialog': AskDialog,
    'vk-list-end': ListEnd,
    'vk-outbox': OutboxPanel,
    'vk-roles': RolesPanel,
    'vk-status': StatusPanel,
    'vk-users': UsersPanel,
  })
