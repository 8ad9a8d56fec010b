import { expect, test } from 'vitest'
import { createAudience } from '../../src/realtime/audience.ts'
import type { Connection } from '../../src/realtime/connection.ts'

const connection = (): Connection => ({ send: () => {}, sweep: () => {}, end: () => {}, terminate: () => {} })

test('a user is there for all their connections until the last one leaves, and is forgotten then', () => {
  const audience = createAudience()
  const [one, two] = [connection(), connection()]
  const user = audience.join('clerk', 'id')
  audience.add(user, one)
  expect(audience.join('clerk', 'id')).toBe(user)
  audience.add(user, two)
  expect(audience.connectionCountOf('clerk')).toBe(2)
  expect(audience.connections).toEqual([one, two])

  audience.leave(user, one)
  expect(audience.withId('id')).toBe(user)
  expect(audience.withSubject('clerk')).toBe(user)
  expect(audience.connectionCountOf('clerk')).toBe(1)

  audience.leave(user, two)
  expect(audience.withId('id')).toBeUndefined()
  expect(audience.withSubject('clerk')).toBeUndefined()
  expect(audience.users).toEqual([])
  expect(audience.connectionCount).toBe(0)
})

test('a user without a record is found by its id once there is one, and forgotten with it', () => {
  const audience = createAudience()
  const only = connection()
  const user = audience.join('newcomer', null)
  audience.add(user, only)
  expect(user.userId).toBeNull()
  audience.recognise(user, 'id')
  expect(audience.withId('id')).toBe(user)
  audience.leave(user, only)
  expect(audience.withId('id')).toBeUndefined()
})

test('who comes back is told anew: nothing is left of what was heard before', () => {
  const audience = createAudience()
  const only = connection()
  const user = audience.join('clerk', 'id')
  audience.add(user, only)
  user.version = 9
  audience.leave(user, only)
  expect(audience.join('clerk', 'id').version).toBe(-1)
})
