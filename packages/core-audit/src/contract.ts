export { AuditEvent, AuditEventPage, ListAuditEventsQuery } from './audit/contract.ts'
export {
  codePointCount,
  Id,
  Instant,
  isStorable,
  isUuid,
  PageLimit,
  ProblemDetails,
  StorableText,
  trimWhiteSpace,
} from './http/contract.ts'
export {
  CreateRoleBody,
  ListUsersQuery,
  MeAccess,
  Permission,
  Role,
  roleLimits,
  SetRolePermissionsBody,
  SetUserRolesBody,
  UpdateRoleBody,
  User,
  UserPage,
} from './identity/contract.ts'
export {
  type BusinessObjectKind,
  BusinessObjectReference,
  businessObjectKinds,
  ContentSummary,
  generalJournalEntryTypeCode,
  Target,
  targetOf,
  targetQuery,
} from './objects/contract.ts'
