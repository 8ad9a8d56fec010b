import { expect, test } from 'vitest'
import { createAnnouncer } from '../../src/realtime/announcer.ts'
import { createSubscribers } from '../../src/realtime/subscribers.ts'

/** A user with one connection that writes down what it is told. */
function listening(onTold: (version: number) => void = () => {}) {
  const told: number[] = []
  const subscribers = createSubscribers()
  const user = subscribers.join('clerk', crypto.randomUUID())
  const send = (version: number): void => {
    told.push(version)
    onTold(version)
  }
  subscribers.add(user, { send, sweep: () => {}, end: () => {}, terminate: () => {} })
  return { user, told }
}

test('a change is told at once, those that follow within the quiet time are told together after it', async () => {
  const last = Promise.withResolvers<void>()
  const { user, told } = listening((version) => version === 4 && last.resolve())
  let nowMs = 0
  const announcer = createAnnouncer({ quietMs: 5, now: () => nowMs })
  announcer.advance(user, 1)
  expect(told).toEqual([1])
  announcer.advance(user, 2)
  nowMs = 4
  announcer.advance(user, 4)
  announcer.advance(user, 3)
  expect(told).toEqual([1])
  await last.promise
  expect(told).toEqual([1, 4])
  nowMs = 10
  announcer.advance(user, 5)
  expect(told).toEqual([1, 4, 5])
})

test('a user who waits is told once, when told for another reason meanwhile', async () => {
  const { user, told } = listening()
  const announcer = createAnnouncer({ quietMs: 5, now: () => 0 })
  announcer.advance(user, 1)
  announcer.advance(user, 2)
  announcer.send(user)
  const flushed = Promise.withResolvers<void>()
  const { user: witness } = listening((version) => version === 2 && flushed.resolve())
  announcer.advance(witness, 1)
  announcer.advance(witness, 2)
  await flushed.promise
  expect(told).toEqual([1, 2])
})

test('nothing is told after it was stopped', () => {
  const { user, told } = listening()
  const announcer = createAnnouncer({ quietMs: 5, now: () => 0 })
  announcer.advance(user, 1)
  announcer.advance(user, 2)
  announcer.stop()
  expect(told).toEqual([1])
})
