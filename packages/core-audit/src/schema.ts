export { auditEvents } from './audit/schema.ts'
export type { RowOf } from './database/row-of.ts'
export { coreAudit } from './database/schema.ts'
export {
  activeRoleMembers,
  roleAssignments,
  roleNames,
  roles,
  userAccounts,
  userAddresses,
  userNames,
  userRoles,
  users,
} from './identity/schema.ts'
