import { defineErrors, refusal } from '../errors.ts'

/** The errors of a refused change to the outbox. */
export const OutboxError = defineErrors('OutboxError', {
  'outbox.event_not_found': refusal(404, 'The event does not exist.'),
  'outbox.delivery_not_found': refusal(404, 'The event has no such delivery.'),
  'outbox.not_dead': refusal(409, 'Only a dead letter can be retried or discarded.'),
})
