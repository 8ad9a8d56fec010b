import { type Check, permitted, seen } from './callers.ts'
import type { Endpoint } from './endpoints.ts'
import type { World } from './world.ts'

const notFound = 'work_center.item_not_found'
/** The check that hides a task from all callers except its recipients. */
const ofTask = [seen('receive tasks', notFound)]
const ofNotification = [seen('receive notifications', notFound)]

const administered = permitted('administer')
const mayForward = seen('forward clerks’ tasks', notFound)
/** The requests name a recipient that nobody can choose, so that they change nothing for the next caller. */
const notEligible: Check = { right: 'nothing', refusal: '409 work_center.recipient_not_eligible' }
const nobody = '00000000-0000-7000-8000-000000000000'
const forwardBody = { expectedVersion: 1, to: { userId: nobody } }
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()
const substitution = { userId: nobody, fromUtc: inDays(0), untilUtc: inDays(1) }

const keptTasks = new WeakMap<World, string>()
/** Returns a task that these requests leave unchanged. */
function keptTask(world: World): string {
  const id = keptTasks.get(world) ?? world.nextTaskId()
  keptTasks.set(world, id)
  return id
}

const ofIdleUser = (method: string, rest: Pick<Endpoint, 'checks' | 'success'>, body?: object): Endpoint => ({
  ...rest,
  operation: `${method} /api/security/users/{id}/substitution`,
  call: (world) => ({
    path: `/api/security/users/${world.idleUser.id}/substitution`,
    ...(body && { body }),
  }),
})

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
  forAnyone('GET /api/me/mail-settings'),
  forAnyone('PUT /api/me/mail-settings', { delivery: 'Immediately', timeZone: 'UTC', dailyHour: 7 }),
  forAnyone('GET /api/me/substitution'),
  forAnyone('GET /api/me/substitution/users'),
  { ...forAnyone('PUT /api/me/substitution', substitution), checks: [notEligible] },
  { ...forAnyone('DELETE /api/me/substitution'), success: 204 },
  ofIdleUser('GET', { checks: [administered], success: 200 }),
  ofIdleUser('PUT', { checks: [administered, notEligible], success: 200 }, substitution),
  ofIdleUser('DELETE', { checks: [administered], success: 204 }),
  { ...forAnyone('GET /api/work-center/team'), checks: [administered] },
  { ...forAnyone('GET /api/work-center/team/users'), checks: [administered] },
  {
    operation: 'POST /api/work-center/team/tasks/{id}/assign',
    checks: [administered, notEligible],
    success: 200,
    call: (world) => ({ path: `/api/work-center/team/tasks/${keptTask(world)}/assign`, body: forwardBody }),
  },
  {
    operation: 'POST /api/work-center/tasks/{id}/forward',
    checks: [mayForward, notEligible],
    success: 200,
    call: (world) => ({ path: `/api/work-center/tasks/${keptTask(world)}/forward`, body: forwardBody }),
  },
  {
    operation: 'GET /api/work-center/tasks/{id}/recipients',
    checks: [mayForward],
    success: 200,
    call: (world) => ({ path: `/api/work-center/tasks/${keptTask(world)}/recipients` }),
  },
  forAnyone('POST /hubs/work-center/negotiate'),
  forAnyone('POST /api/work-center/batch', {
    verb: 'read',
    items: [{ kind: 'Task', id: '00000000-0000-7000-8000-000000000000', expectedVersion: 1 }],
  }),
  {
    operation: 'POST /api/work-center/read-all',
    checks: [],
    success: 200,
    async call(world, caller) {
      // A caller without access gets a page without this value, and the refusal of the request shows why.
      const page = (await (await world.as(caller)('GET', '/api/work-center/items')).json()) as {
        readThrough?: string
      }
      const body = { tab: 'attention', filters: {}, through: page.readThrough ?? '' }
      return { path: '/api/work-center/read-all', body }
    },
  },
  {
    operation: 'POST /api/work-center/tasks/{id}/unread',
    checks: ofTask,
    success: 200,
    call: ({ openTaskId }) => ({ path: `/api/work-center/tasks/${openTaskId}/unread` }),
  },
  {
    // Recipients and supervisors see the task, but nobody has claimed it.
    operation: 'POST /api/work-center/tasks/{id}/release',
    checks: [seen('release tasks', notFound), { right: 'nothing', refusal: '409 work_center.not_claimed' }],
    success: 200,
    call: ({ openTaskId }) => ({
      path: `/api/work-center/tasks/${openTaskId}/release`,
      body: { expectedVersion: 1 },
    }),
  },
  ...['read', 'unread', 'dismiss', 'restore'].map(
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
