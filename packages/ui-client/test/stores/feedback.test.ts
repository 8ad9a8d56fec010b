import { createClient } from '@vertical-kit/ui-client'
import { feedbackStore, openSession } from '@vertical-kit/ui-client/stores'
import { expect, test } from 'vitest'
import { startCountdown } from '../../src/stores/countdown.ts'
import { createClock } from '../clock.ts'

function open() {
  const clock = createClock()
  const client = createClient({ accessToken: () => null })
  const session = openSession({ client, userId: 'sub-1', wait: clock.wait })
  const feedback = feedbackStore(session)
  return { clock, session, feedback, shown: () => feedback.$state.get().map(({ text }) => text) }
}

test('a message disappears after six seconds, one that can be undone after ten, and a failure never', async () => {
  const { clock, feedback, shown } = open()
  feedback.announce({ text: 'Deleted.', undo: () => {} })
  feedback.announce({ text: 'Failed.', tone: 'failure' })
  feedback.announce({ text: 'Saved.' })
  await clock.pass(5_999)
  expect(shown()).toEqual(['Deleted.', 'Failed.', 'Saved.'])
  await clock.pass(1)
  expect(shown()).toEqual(['Deleted.', 'Failed.'])
  await clock.pass(4_000)
  expect(shown()).toEqual(['Failed.'])
  await clock.pass(60_000)
  expect(shown()).toEqual(['Failed.'])
})

test('held messages stay, and their countdowns start again afterwards', async () => {
  const { clock, feedback, shown } = open()
  feedback.announce({ text: 'first', undo: () => {} })
  await clock.pass(5_000)
  feedback.hold()
  feedback.announce({ text: 'second' })
  await clock.pass(60_000)
  expect(shown()).toEqual(['first', 'second'])
  feedback.resume()
  await clock.pass(6_000)
  expect(shown()).toEqual(['first'])
  await clock.pass(3_999)
  expect(shown()).toEqual(['first'])
  await clock.pass(1)
  expect(shown()).toEqual([])
})

test('undoing calls the newest undo once, and removes only its message', () => {
  const { feedback, shown } = open()
  const undone: string[] = []
  for (const text of ['a', 'b']) feedback.announce({ text, undo: () => undone.push(text) })
  feedback.announce({ text: 'plain' })
  expect(feedback.undo()).toBe(true)
  expect(shown()).toEqual(['a', 'plain'])
  expect(feedback.undo()).toBe(true)
  expect(feedback.undo()).toBe(false)
  expect(undone).toEqual(['b', 'a'])
})

test('of the changes that are already made, the latest three can be undone', async () => {
  const { clock, feedback, session, shown } = open()
  const countdown = startCountdown(session.wait, 8_000, session.signal)
  feedback.announce({ text: 'waiting', undo: () => {}, countdown })
  for (const text of ['a', 'b', 'c', 'd']) feedback.announce({ text, undo: () => {} })
  expect(shown()).toEqual(['waiting', 'b', 'c', 'd'])
  await clock.pass(7_999)
  expect(shown()).toContain('waiting')
})

test('a change whose message has disappeared cannot be undone', async () => {
  const { clock, feedback } = open()
  const undone: string[] = []
  for (const text of ['a', 'b']) feedback.announce({ text, undo: () => undone.push(text) })
  const [first] = feedback.$state.get()
  feedback.dismiss(first?.id ?? 0)
  expect(feedback.undo(first?.id)).toBe(false)
  await clock.pass(10_000)
  expect(feedback.undo()).toBe(false)
  expect(undone).toEqual([])
})

test('a message replaces earlier ones, except failures and those that can be undone', () => {
  const { feedback, shown } = open()
  feedback.announce({ text: 'undo me', undo: () => {} })
  feedback.announce({ text: 'Failed.', tone: 'failure' })
  for (const text of ['a', 'b']) feedback.announce({ text })
  expect(shown()).toEqual(['undo me', 'Failed.', 'b'])
})

test('the messages of a session end with it', () => {
  const { session, feedback, shown } = open()
  feedback.announce({ text: 'of the previous user', tone: 'failure' })
  session.close()
  expect(shown()).toEqual([])
  feedback.announce({ text: 'too late' })
  expect(shown()).toEqual([])
})
