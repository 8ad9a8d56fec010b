import { expect, test } from 'vitest'
import { createAnnouncer } from '../../src/realtime/announcer.ts'
import { createSubscribers } from '../../src/realtime/subscribers.ts'

/** Creates a user with one connection that records the versions sent to it. */
function listening(onSent: (version: number) => void = () => {}) {
  const sent: number[] = []
  const subscribers = createSubscribers()
  const user = subscribers.join('clerk', crypto.randomUUID())
  const send = (version: number): void => {
    sent.push(version)
    onSent(version)
  }
  subscribers.add(user, { send, sendObject: () => {}, sweep: () => {}, end: () => {}, terminate: () => {} })
  return { user, sent }
}

test('the announcer sends the first change immediately, and combines the changes within the following quiet time', async () => {
  const last = Promise.withResolvers<void>()
  const { user, sent } = listening((version) => version === 4 && last.resolve())
  let nowMs = 0
  const announcer = createAnnouncer({ quietMs: 5, now: () => nowMs })
  announcer.advance(user, 1)
  expect(sent).toEqual([1])
  announcer.advance(user, 2)
  nowMs = 4
  announcer.advance(user, 4)
  announcer.advance(user, 3)
  expect(sent).toEqual([1])
  await last.promise
  expect(sent).toEqual([1, 4])
  nowMs = 10
  announcer.advance(user, 5)
  expect(sent).toEqual([1, 4, 5])
})

test('the announcer sends a waiting version only once if `send` is called before the timer fires', async () => {
  const { user, sent } = listening()
  const announcer = createAnnouncer({ quietMs: 5, now: () => 0 })
  announcer.advance(user, 1)
  announcer.advance(user, 2)
  announcer.send(user)
  const flushed = Promise.withResolvers<void>()
  const { user: witness } = listening((version) => version === 2 && flushed.resolve())
  announcer.advance(witness, 1)
  announcer.advance(witness, 2)
  await flushed.promise
  expect(sent).toEqual([1, 2])
})

test('the announcer sends nothing after `stop` is called', () => {
  const { user, sent } = listening()
  const announcer = createAnnouncer({ quietMs: 5, now: () => 0 })
  announcer.advance(user, 1)
  announcer.advance(user, 2)
  announcer.stop()
  expect(sent).toEqual([1])
})
