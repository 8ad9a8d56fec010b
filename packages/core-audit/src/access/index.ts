export type { Actor } from './actor.ts'
export { type Caller, type CallerRole, holds, type RoleName, requirePermission } from './caller.ts'
export { type ChangeAuthor, changeAs } from './change-as.ts'
export type { PermissionDefinition } from './permission.ts'
