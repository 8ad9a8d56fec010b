import { type AccessChangedData, accessChanged } from '@vertical-kit/core-audit/identity'
import type { EventDescriptor } from '@vertical-kit/core-audit/outbox'
import { defineNotification, defineTask, type HandledEvent, type Inbox, on } from '@vertical-kit/work-center'
import * as v from 'valibot'
import { expectTypeOf, test } from 'vitest'

const leaseEnded = {
  type: 'property.lease.ended',
  schema: v.object({ leaseId: v.string(), dayCount: v.number() }),
} satisfies EventDescriptor

const words = { displayName: 'A', category: 'B', description: 'C', roleCodes: ['property.caretaker'] }
const inspect = defineTask({ ...words, code: 'property.inspect' })
const ended = defineNotification({ ...words, code: 'property.ended', severity: 'Information' })

test('an event handler infers the type of its event data', () => {
  on(leaseEnded, (inbox, event) => {
    expectTypeOf(inbox).toEqualTypeOf<Inbox>()
    expectTypeOf(event).toEqualTypeOf<HandledEvent<{ leaseId: string; dayCount: number }>>()
  })
  on(accessChanged, (_inbox, { data }) => {
    expectTypeOf(data).toEqualTypeOf<AccessChangedData>()
  })
  // @ts-expect-error: the event data lacks this property
  on(leaseEnded, (_inbox, { data }) => void data.flat)
  // @ts-expect-error: a descriptor requires a schema
  expectTypeOf({ type: 'property.lease.ended' }).toExtend<EventDescriptor>()
})

test('an inbox accepts task definitions for tasks and notification definitions for notifications', () => {
  const write = (inbox: Inbox) => {
    inbox.completeTask(inspect, 'L-1')
    inbox.sync(inspect, 'L-1', 'cancelled')
    // @ts-expect-error: notifications cannot be completed
    inbox.completeTask(ended, 'L-1')
    // @ts-expect-error: notifications have no desired state
    inbox.sync(ended, 'L-1', 'completed')
    // @ts-expect-error: a code is not a definition
    inbox.cancelTask('property.inspect', 'L-1')
    // @ts-expect-error: unknown state
    inbox.sync(inspect, 'L-1', 'open')
  }
  expectTypeOf(write).toBeFunction()
  expectTypeOf<Inbox['createNotification']>().parameter(0).toEqualTypeOf<typeof ended>()
  expectTypeOf<Inbox['createTask']>().parameter(0).toEqualTypeOf<typeof inspect>()
})
