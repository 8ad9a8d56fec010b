import { describe, expect, test } from 'vitest'
import { type Follower, workOf } from '../../src/watch/followers.ts'
import { decideWindows, windowMs } from '../../src/watch/notices.ts'
import type { WatchedEvent } from '../../src/watch/watched-events.ts'

const event = (id: string, occurredAtMs: number, more: Partial<WatchedEvent> = {}): WatchedEvent => ({
  ...{ id, occurredAtMs, module: 'trade', actorUserId: 'carl' },
  target: { kind: 'Document', typeCode: 'a', id: 'invoice' },
  ...more,
})
const follower = (userId: string, more: Partial<Follower> = {}): Follower => ({
  ...{ userId, work: workOf(event('', 0)), watchedAtMs: 0, startedAtMs: null },
  ...more,
})
const decide = (events: readonly WatchedEvent[], followers: readonly Follower[]) =>
  decideWindows(events, followers, (_follower, { module }) => module === 'trade').map(
    ({ event: { id }, userIds }) => [id, userIds],
  )

describe('the window of a follower', () => {
  test('starts with the first event and ends after five minutes', () => {
    const events = [event('a', 0), event('b', windowMs - 1), event('c', windowMs), event('d', windowMs + 1)]
    expect(decide(events, [follower('clara')])).toEqual([
      ['a', ['clara']],
      ['c', ['clara']],
    ])
  })

  test('continues from an earlier batch', () => {
    const events = [event('a', windowMs), event('b', windowMs + 5)]
    expect(decide(events, [follower('clara', { startedAtMs: 5 })])).toEqual([['b', ['clara']]])
  })

  test('is shared by followers that are notified of the same event', () => {
    const followers = [follower('clara'), follower('dora'), follower('late', { watchedAtMs: 1 })]
    expect(decide([event('a', 0), event('b', 1)], followers)).toEqual([
      ['a', ['clara', 'dora']],
      ['b', ['late']],
    ])
  })

  test('does not start with an event that the follower may not see', () => {
    const events = [event('a', 0, { module: 'secrets' }), event('b', 1)]
    expect(decide(events, [follower('clara')])).toEqual([['b', ['clara']]])
  })

  test('belongs to one actor and one object', () => {
    const other = event('b', 1, { actorUserId: 'dora' })
    const followers = [follower('clara'), follower('clara', { work: workOf(other) })]
    expect(decide([event('a', 0), other], followers)).toEqual([
      ['a', ['clara']],
      ['b', ['clara']],
    ])
  })
})
