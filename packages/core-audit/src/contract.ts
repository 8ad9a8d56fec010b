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
  CreateUserBody,
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
  userLimits,
} from './identity/contract.ts'
export {
  type BusinessObjectKind,
  BusinessObjectReference,
  businessObjectKinds,
  ContentSummary,
  generalJournalEntryTypeCode,
  NavigationTarget,
  Target,
  targetOf,
  targetQuery,
} from './objects/contract.ts'
