// Applications must not use these tables: any release can change them.
export { outboxAttempts, outboxConsumers, outboxDeliveries, outboxEvents } from './outbox/schema.ts'
