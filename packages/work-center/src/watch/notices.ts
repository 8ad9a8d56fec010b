import type { Follower, OpenedWindow } from './followers.ts'
import { workOf } from './followers.ts'
import type { WatchedEvent } from './watched-events.ts'

/** All that one actor does to one object in this time is one notification. */
export const windowMs = 300_000

/**
 * Decides which followers are notified of which events. A follower's window for an actor and an object starts with the first
 * event that they may see, and contains all further ones of five minutes.
 */
export function decideWindows(
  events: readonly WatchedEvent[],
  followers: readonly Follower[],
  maySee: (follower: Follower, event: WatchedEvent) => boolean,
): readonly OpenedWindow[] {
  const ofWork = Map.groupBy(events, workOf)
  const userIds = new Map<WatchedEvent, string[]>()
  for (const follower of followers) {
    let startedAtMs = follower.startedAtMs ?? Number.NEGATIVE_INFINITY
    for (const event of ofWork.get(follower.work) ?? []) {
      const isCovered = event.occurredAtMs < startedAtMs + windowMs
      if (isCovered || event.occurredAtMs < follower.watchedAtMs || !maySee(follower, event)) continue
      startedAtMs = event.occurredAtMs
      userIds.set(event, [...(userIds.get(event) ?? []), follower.userId])
    }
  }
  return [...userIds].map(([event, ids]) => ({ event, userIds: ids }))
}
