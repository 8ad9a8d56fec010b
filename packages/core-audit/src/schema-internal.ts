// Applications must not use these tables: they may change with any release.
export { outboxAttempts, outboxConsumers, outboxDeliveries, outboxEvents } from './outbox/schema.ts'
