export { type ObjectActivityOptions, objectActivity } from './audit/activity.ts'
export type { AuditSource, PeopleInEvent } from './audit/audit-source.ts'
export {
  auditInsert,
  type FieldChange,
  type NewAuditEvent,
  recordAudit,
} from './audit/commands/record-audit.ts'
export { fieldChanges } from './audit/field-changes.ts'
export type { StoredAuditEvent } from './audit/queries/read-events.ts'
export { type AuditTimelineOptions, auditTimeline } from './audit/timeline.ts'
export { brokenConstraint } from './database/database-errors.ts'
export { type SQL, sql } from './database/sql.ts'
export {
  CoreError,
  type CoreErrorCode,
  defineErrors,
  type ErrorClass,
  type ErrorRule,
  type ErrorTable,
  type FieldError,
  isKitError,
  type KitError,
  type KitErrorOptions,
  refusal,
} from './errors.ts'
export { type Bell, createBell } from './host/workers.ts'
export { instantOfId, isStoredInstant, toInstant, toInstantOrNull } from './instant.ts'
export type { Gathered, KitModule } from './module.ts'
export { newId } from './new-id.ts'
