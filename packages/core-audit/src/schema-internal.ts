export { outboxAttempts, outboxConsumers, outboxDeliveries, outboxEvents } from './outbox/schema.ts'
