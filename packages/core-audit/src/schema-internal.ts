// Applications must not use these tables: any release can change them.
export { auditSeals } from './audit/seal/schema.ts'
export { outboxAttempts, outboxConsumers, outboxDeliveries, outboxEvents } from './outbox/schema.ts'
