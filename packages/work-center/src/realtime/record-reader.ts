import type { RealtimeConfig } from './config.ts'
import { takeRecords } from './hub-protocol.ts'

/** How a client has broken the bounds of what may be sent. */
export type LimitExceeded = 'tooLong' | 'tooMany'

/** Puts the records of one client together, within bounds. */
export interface RecordReader {
  /** The records that a message completes; or what is too much of it. */
  read(text: string): readonly string[] | LimitExceeded
  /** Counts what is no text, such as a ping of the socket; `tooMany` when it is. */
  count(messageCount: number): 'tooMany' | undefined
}

type Bounds = Pick<RealtimeConfig, 'maxMessageBytes' | 'maxMessagesPerWindow' | 'messageWindowMs'>

/** Messages count, and so do the records in them: a client can make work with either. */
export function createRecordReader(bounds: Bounds, now: () => number): RecordReader {
  let rest = ''
  let windowAtMs = now()
  let countInWindow = 0

  const count = (messageCount: number): 'tooMany' | undefined => {
    if (now() - windowAtMs >= bounds.messageWindowMs) {
      windowAtMs = now()
      countInWindow = 0
    }
    countInWindow += messageCount
    return countInWindow > bounds.maxMessagesPerWindow ? 'tooMany' : undefined
  }

  return {
    count,
    read(text) {
      const taken = takeRecords(rest + text)
      rest = taken.rest
      const exceeded = count(1 + taken.records.length)
      if (exceeded !== undefined) return exceeded
      return rest.length > bounds.maxMessageBytes ? 'tooLong' : taken.records
    },
  }
}
