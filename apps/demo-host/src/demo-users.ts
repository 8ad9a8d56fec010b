import type { AccessSeed } from '@vertical-kit/core-audit/identity'
import { tradeActionPermissions } from './trade/actions/trade-document-types.ts'
import { catalogTypes } from './trade/catalogs/catalog-types.ts'
import { documentTypes } from './trade/documents/document-types.ts'
import { permissionOf, type TradeAction } from './trade/permissions.ts'
import { tradeRoles } from './trade/roles.ts'

/** The role that grants every registered permission. */
export const administratorRoleCode = 'trade.administrator'

/** The role in a token that grants all permissions. Only the token of `admin` contains this role. */
export const platformAdministratorRole = 'platform-admin'

/** The password of all demo users. It can be public because the identity provider accepts only local connections. */
export const demoPassword = 'demo'

/** A role that the demo creates. */
export interface DemoRole {
  readonly code: string
  readonly name: string
  readonly description: string
  readonly permissions: readonly string[]
}

/** A user of the demo's identity provider. The user name is the subject of the token. */
export interface DemoUser {
  readonly subject: string
  readonly email: string
  readonly displayName: string
  /** The roles in the token of the user. */
  readonly tokenRoles: readonly string[]
  /** The codes of the user's roles in our database. A user without such roles has no record before the first successful request. */
  readonly roleCodes: readonly string[]
  readonly isActive: boolean
}

function onEveryType(...actions: readonly TradeAction[]): readonly string[] {
  return [
    ...catalogTypes.flatMap(({ code }) => actions.map((action) => permissionOf('catalog', code, action))),
    ...documentTypes.flatMap(({ code }) => actions.map((action) => permissionOf('document', code, action))),
  ]
}

const viewerPermissions = [...onEveryType('view'), 'system.attachments.read', 'system.notes.read']

export const demoRoles: readonly DemoRole[] = [
  {
    code: administratorRoleCode,
    name: 'Administrator',
    description: 'Holds every permission, because it is registered as an administrator role.',
    permissions: [],
  },
  {
    code: tradeRoles.clerk,
    name: 'Clerk',
    description: 'Does the daily work: catalogs, documents and their actions, attachments and notes.',
    permissions: [
      ...onEveryType('view', 'create', 'edit', 'delete', 'view_audit'),
      ...tradeActionPermissions,
      ...['read', 'create', 'delete'].map((action) => `system.attachments.${action}`),
      ...['read', 'create', 'update', 'delete'].map((action) => `system.notes.${action}`),
    ],
  },
  {
    code: tradeRoles.viewer,
    name: 'Viewer',
    description: 'Views everything in trade, but changes nothing.',
    permissions: viewerPermissions,
  },
  {
    code: tradeRoles.auditor,
    name: 'Auditor',
    description: 'Views everything in trade, including its history.',
    permissions: [...viewerPermissions, 'system.audit.view'],
  },
  {
    code: 'trade.uploader',
    name: 'Uploader',
    description: 'Attaches files to sales invoices without seeing existing ones.',
    permissions: [permissionOf('document', 'trade.sales_invoice', 'view'), 'system.attachments.create'],
  },
]

const user = (
  subject: string,
  displayName: string,
  account: Partial<Pick<DemoUser, 'tokenRoles' | 'roleCodes' | 'isActive'>>,
): DemoUser => ({
  subject,
  email: `${subject}@example.com`,
  displayName,
  tokenRoles: [],
  roleCodes: [],
  isActive: true,
  ...account,
})

export const demoUsers: readonly DemoUser[] = [
  user('admin', 'Ada Admin', { tokenRoles: [platformAdministratorRole] }),
  user('manager', 'Mara Manager', { roleCodes: [administratorRoleCode] }),
  user('clerk', 'Clara Clerk', { roleCodes: [tradeRoles.clerk] }),
  user('clerk2', 'Carl Clerk', { roleCodes: [tradeRoles.clerk] }),
  user('viewer', 'Vera Viewer', { roleCodes: [tradeRoles.viewer] }),
  user('auditor', 'Otto Auditor', { roleCodes: [tradeRoles.auditor] }),
  user('uploader', 'Uma Uploader', { roleCodes: ['trade.uploader'] }),
  user('outsider', 'Olaf Outsider', {}),
  user('inactive', 'Ines Inactive', { roleCodes: [tradeRoles.clerk], isActive: false }),
]

/** The accounts of all demo users at the demo's identity provider. */
export const demoAccounts = Object.fromEntries(
  demoUsers.map(({ subject, email, displayName, tokenRoles }) => [
    subject,
    { password: demoPassword, email, displayName, roles: tokenRoles },
  ]),
)

/** The initial roles and users of the host's database. */
export const demoAccess: AccessSeed = {
  roles: demoRoles,
  users: demoUsers.filter(({ roleCodes }) => roleCodes.length > 0),
}
