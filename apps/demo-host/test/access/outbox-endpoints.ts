import { type Check, permitted } from './callers.ts'
import type { Endpoint } from './endpoints.ts'

const administered = permitted('administer')
const missing = '00000000-0000-7000-8000-000000000000'
/** The requests name an event that does not exist, so that they change nothing for the next caller. */
const notFound: Check = { right: 'nothing', refusal: '404 outbox.event_not_found' }

const reading = (path: string): Endpoint => ({
  operation: `GET ${path}`,
  checks: [administered],
  success: 200,
  call: () => ({ path }),
})

const ofEvent = (operation: string, body?: object): Endpoint => ({
  operation,
  checks: [administered, notFound],
  success: 200,
  call: () => ({
    path: (operation.split(' ')[1] ?? '').replace('{id}', missing),
    ...(body && { body }),
  }),
})

/** The endpoints for the repair of the outbox. */
export const outboxEndpoints: readonly Endpoint[] = [
  reading('/api/system/outbox'),
  reading('/api/system/outbox/dead-letters'),
  ofEvent('GET /api/system/outbox/events/{id}'),
  ofEvent('POST /api/system/outbox/events/{id}/retry', { reason: 'repaired' }),
  ofEvent('POST /api/system/outbox/events/{id}/discard', { reason: 'obsolete' }),
]
