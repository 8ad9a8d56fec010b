import { seen } from './callers.ts'
import type { Endpoint } from './endpoints.ts'

const notFound = 'work_center.item_not_found'
/** Who has not received an item is not told that there is one. */
const ofTask = [seen('receive tasks', notFound)]
const ofNotification = [seen('receive notifications', notFound)]

const forAnyone = (operation: string, body?: object): Endpoint => ({
  operation,
  checks: [],
  success: 200,
  call: () => ({ path: operation.split(' ')[1] ?? '', ...(body && { body }) }),
})

/** The Work Center: everybody has one, and what is in it is theirs. */
export const workCenterEndpoints: readonly Endpoint[] = [
  forAnyone('GET /api/work-center/summary'),
  forAnyone('GET /api/work-center/items'),
  forAnyone('GET /api/me/notification-preferences'),
  forAnyone('PUT /api/me/notification-preferences', { preferences: [] }),
  forAnyone('POST /hubs/work-center/negotiate'),
  ...['read', 'dismiss'].map(
    (action): Endpoint => ({
      operation: `POST /api/work-center/notifications/{id}/${action}`,
      checks: ofNotification,
      success: 200,
      call: (world) => ({ path: `/api/work-center/notifications/${world.notificationId}/${action}` }),
    }),
  ),
  ...Object.entries({
    read: {},
    snooze: { body: { snoozedUntilUtc: null } },
    claim: { body: { expectedVersion: 1 } },
  }).map(
    ([action, body]): Endpoint => ({
      operation: `POST /api/work-center/tasks/{id}/${action}`,
      checks: ofTask,
      success: 200,
      // A task of its own for each caller: one that is claimed is there for nobody else.
      call: (world) => ({ path: `/api/work-center/tasks/${world.nextTaskId()}/${action}`, ...body }),
    }),
  ),
]
