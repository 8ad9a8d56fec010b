export { auditPermission, holdsAuditAccess, requireAuditAccess } from './audit-access.ts'
export { type Authorize, authorizer } from './authorize.ts'
export {
  type BusinessObjects,
  type BusinessObjectTypes,
  createBusinessObjects,
  type IsReadable,
} from './business-objects.ts'
export {
  type ActingAs,
  type CallerNow,
  type ContentAccess,
  type ContentAccessOptions,
  contentAccess,
  type TargetAccess,
} from './content-access.ts'
export type { ContentCounter } from './content-counter.ts'
export { readIfAllowed } from './read-if-allowed.ts'
