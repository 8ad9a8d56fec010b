export { ActivityEntry, ActivityPage, ListActivityQuery } from './audit/activity-contract.ts'
export { AuditEvent, AuditEventPage, ListAuditEventsQuery, SearchAuditEventsQuery } from './audit/contract.ts'
export {
  codePointCount,
  filterOf,
  Id,
  Instant,
  isStorable,
  isUuid,
  PageLimit,
  ProblemDetails,
  StorableText,
  trimWhiteSpace,
  UtcInstant,
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
  ContentSummaries,
  ContentSummariesBody,
  ContentSummary,
  generalJournalEntryTypeCode,
  NavigationTarget,
  References,
  Target,
  targetOf,
  targetQuery,
} from './objects/contract.ts'
