export type { ActivityContent, ActivityQuery, ActivitySource, ContributedType } from './activity-source.ts'
export { auditPermission, holdsAuditAccess, requireAuditAccess } from './audit-access.ts'
export { type Authorize, authorizer } from './authorize.ts'
export {
  type BusinessObjects,
  type BusinessObjectTypes,
  createBusinessObjects,
  type IsReadable,
  type ReadAttempt,
  type ReferencePaths,
} from './business-objects.ts'
export {
  type ActingAs,
  type CallerNow,
  type ContentAccess,
  type ContentAccessOptions,
  contentAccess,
  type TargetAccess,
} from './content-access.ts'
export type { ContentCounter, CountedTarget } from './content-counter.ts'
export type { FindAll, FoundObject, NamedObject, ObjectState, ObjectStates } from './find-objects.ts'
export { readIfAllowed } from './read-if-allowed.ts'
export type { Readers, SearchReaders } from './readers.ts'
