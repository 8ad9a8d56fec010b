import { expect, test } from 'vitest'
import type { Connection } from '../../src/realtime/connection.ts'
import { createSubscribers } from '../../src/realtime/subscribers.ts'

const connection = (): Connection => ({
  send: () => {},
  sendObject: () => {},
  sweep: () => {},
  end: () => {},
  terminate: () => {},
})

test('all connections of a user share one entry, which is removed with the last connection', () => {
  const subscribers = createSubscribers()
  const [one, two] = [connection(), connection()]
  const user = subscribers.join('clerk', 'id')
  subscribers.add(user, one)
  expect(subscribers.join('clerk', 'id')).toBe(user)
  subscribers.add(user, two)
  expect(subscribers.connectionCountOf('clerk')).toBe(2)
  expect(subscribers.connections).toEqual([one, two])

  subscribers.leave(user, one)
  expect(subscribers.withId('id')).toBe(user)
  expect(subscribers.withSubject('clerk')).toBe(user)
  expect(subscribers.connectionCountOf('clerk')).toBe(1)

  subscribers.leave(user, two)
  expect(subscribers.withId('id')).toBeUndefined()
  expect(subscribers.withSubject('clerk')).toBeUndefined()
  expect(subscribers.users).toEqual([])
  expect(subscribers.connectionCount).toBe(0)
})

test('a user that was recognised later is found by id until their last connection is removed', () => {
  const subscribers = createSubscribers()
  const only = connection()
  const user = subscribers.join('newcomer', null)
  subscribers.add(user, only)
  expect(user.userId).toBeNull()
  subscribers.recognise(user, 'id')
  expect(subscribers.withId('id')).toBe(user)
  subscribers.leave(user, only)
  expect(subscribers.withId('id')).toBeUndefined()
})

test('the version of a user is removed with their last connection', () => {
  const subscribers = createSubscribers()
  const only = connection()
  const user = subscribers.join('clerk', 'id')
  subscribers.add(user, only)
  user.version = 9
  subscribers.leave(user, only)
  expect(subscribers.join('clerk', 'id').version).toBe(-1)
})
