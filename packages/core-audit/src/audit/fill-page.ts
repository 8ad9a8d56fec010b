import type { FoundRows, StoredAuditEvent } from './queries/read-events.ts'
import { roundIdBetween } from './seal/event-ids.ts'

/** An event of an object that the caller may read, or of a deleted object. */
export interface VisibleEvent {
  readonly event: StoredAuditEvent
  readonly state: 'readable' | 'deleted'
}

/** The result of one read: what it has examined, and the events that the caller may see, newest first. */
export interface ReadBatch extends Omit<FoundRows, 'rows'> {
  readonly visible: readonly VisibleEvent[]
}

export interface FilledPage {
  readonly shown: readonly VisibleEvent[]
  /** The id before which the next page starts; `null` if no page follows. */
  readonly position: string | null
}

/** Together with the size of a read and the events that it examines, limits what one request reads. */
const maxFurtherReads = 4
/** As many events as the largest page has. */
const furtherReadSize = 100

/**
 * Fills a page with visible events, which can need further reads if events are hidden. Also reads the first event after the
 * page, because only another visible event is a reason for another page.
 *
 * The position must not reveal a hidden event, because a client can decode it: it is the id of the last event on the page. If
 * the page is empty, the request has read more than 400 hidden events, or has examined 10,000 others. The position is then a
 * round id between the newest and the oldest of them. It reveals that so many events exist around this time, which is as inexact
 * as they are far apart.
 *
 * @param first the events of the first read: one more than `limit`, if they exist
 */
export async function fillPage(
  first: ReadBatch,
  limit: number,
  read: (before: string | null, count: number) => Promise<ReadBatch>,
): Promise<FilledPage> {
  const visible = [...first.visible]
  const { newestId } = first
  let { oldestId, isEnd } = first
  for (let count = 0; count < maxFurtherReads && !isEnd && visible.length <= limit; count += 1) {
    const batch = await read(oldestId, furtherReadSize)
    visible.push(...batch.visible)
    oldestId = batch.oldestId ?? oldestId
    isEnd = batch.isEnd
  }
  const shown = visible.slice(0, limit)
  if (newestId === null || oldestId === null || (isEnd && visible.length <= limit)) {
    return { shown, position: null }
  }
  return { shown, position: shown.at(-1)?.event.id ?? roundIdBetween(oldestId, newestId) }
}
