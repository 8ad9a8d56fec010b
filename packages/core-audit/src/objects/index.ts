export { type Authorize, authorizer } from './authorize.ts'
export {
  auditPermission,
  type BusinessObjects,
  type BusinessObjectTypes,
  createBusinessObjects,
  holdsAuditAccess,
  type IsReadable,
  requireAuditAccess,
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
