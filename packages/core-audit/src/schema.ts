export { auditEvents } from './audit/schema.ts'
export { coreAudit } from './database/schema.ts'
export { roles, userRoles, users } from './identity/schema.ts'
export { outboxAttempts, outboxConsumers, outboxDeliveries, outboxEvents } from './outbox/schema.ts'
