export { type DeadLetterRow, type OutboxCounts, type OutboxStore, outboxStore } from './outbox.ts'
export {
  applyChange,
  type PermissionChange,
  permissionChange,
  type RolesState,
  type RolesStore,
  rolesStore,
  roleTextsRow,
} from './roles.ts'
export type { RowState } from './rows.ts'
export { type SystemStatus, type SystemStatusStore, systemStatusStore } from './system-status.ts'
export { invitationRow, type UserFilters, type UsersStore, usersStore } from './users.ts'
