export type { Actor } from './actor.ts'
export { type Caller, type CallerRole, holds, type RoleName, requirePermission } from './caller.ts'
export type { PermissionDefinition } from './permission.ts'
