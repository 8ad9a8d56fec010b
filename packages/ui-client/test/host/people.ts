import type { AccessSeed } from '@vertical-kit/core-audit/identity'
import { customerPayment, salesInvoice } from './documents.ts'

const documents = (typeCode: string, ...actions: readonly string[]) =>
  actions.map((action) => `document.${typeCode}.${action}`)
const attachments = (...actions: readonly string[]) => actions.map((action) => `system.attachments.${action}`)
const notes = (...actions: readonly string[]) => actions.map((action) => `system.notes.${action}`)

const readAll = [...documents(salesInvoice, 'view'), ...attachments('read'), ...notes('read')]

const lifecycle = ['post', 'unpost', 'repost', 'mark_for_deletion']

const names: Readonly<Record<string, string>> = {
  clerk: 'Clara Clerk',
  clerk2: 'Carl Clerk',
  viewer: 'Vera Viewer',
  auditor: 'Otto Auditor',
  uploader: 'Uma Uploader',
  outsider: 'Olaf Outsider',
  manager: 'Mara Manager',
}

/** Returns the display name for a user's token. The user `outsider` has a token but no role. */
export function nameOf(subject: string): string {
  const name = names[subject]
  if (name === undefined) throw new TypeError(`Unknown user: ${subject}`)
  return name
}

const user = (subject: string, roleCode: string) => ({
  subject,
  displayName: nameOf(subject),
  roleCodes: [roleCode],
})

/** Two clerks with all permissions, and users with fewer permissions. */
export const access: AccessSeed = {
  roles: [
    {
      code: 'trade.clerk',
      name: 'Clerk',
      permissions: [
        ...documents(salesInvoice, 'view', 'view_audit', ...lifecycle, 'write_off', 'open_customer'),
        ...documents(customerPayment, 'view', 'post', 'apply_payment'),
        ...attachments('read', 'create', 'delete'),
        ...notes('read', 'create', 'update', 'delete'),
      ],
    },
    { code: 'trade.viewer', name: 'Viewer', permissions: readAll },
    {
      code: 'trade.auditor',
      name: 'Auditor',
      permissions: [...readAll, 'system.audit.view', 'system.roles.view'],
    },
    {
      code: 'trade.uploader',
      name: 'Uploader',
      permissions: [...documents(salesInvoice, 'view'), ...attachments('create')],
    },
    {
      code: 'trade.manager',
      name: 'Manager',
      permissions: [
        'users.view',
        'users.manage',
        'roles.view',
        'roles.manage',
        'permissions.view',
        'outbox.manage',
      ].map((rest) => `system.${rest}`),
    },
  ],
  users: [
    user('clerk', 'trade.clerk'),
    user('clerk2', 'trade.clerk'),
    user('viewer', 'trade.viewer'),
    user('auditor', 'trade.auditor'),
    user('uploader', 'trade.uploader'),
    user('manager', 'trade.manager'),
  ],
}
