import { seen } from './callers.ts'
import type { Endpoint } from './endpoints.ts'

const notFound = 'work_center.item_not_found'
/** The check that hides a task from all callers except its recipients. */
const ofTask = [seen('receive tasks', notFound)]
const ofNotification = [seen('receive notifications', notFound)]

const forAnyone = (operation: string, body?: object): Endpoint => ({
  operation,
  checks: [],
  success: 200,
  call: () => ({ path: operation.split(' ')[1] ?? '', ...(body && { body }) }),
})

/** The endpoints of the Work Center. Every caller can use these endpoints but sees only their own items. */
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
      // Each caller needs a new task, because a claimed task is hidden from the other callers.
      call: (world) => ({ path: `/api/work-center/tasks/${world.nextTaskId()}/${action}`, ...body }),
    }),
  ),
]
