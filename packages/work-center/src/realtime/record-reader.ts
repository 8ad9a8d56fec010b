import type { RealtimeConfig } from './config.ts'
import { takeRecords } from './hub-protocol.ts'

/** The limit that a client has exceeded. */
export type LimitExceeded = 'tooLong' | 'tooMany'

/** Assembles the records of one client from its messages, and enforces limits. */
export interface RecordReader {
  /** Returns the records that this message completes, or the exceeded limit. */
  read(text: string): readonly string[] | LimitExceeded
  /** Counts messages without text, such as WebSocket pings. Returns `tooMany` if the limit is exceeded. */
  count(messageCount: number): 'tooMany' | undefined
}

type Bounds = Pick<RealtimeConfig, 'maxMessageBytes' | 'maxMessagesPerWindow' | 'messageWindowMs'>

/** Creates a reader. It counts both the messages and the records in the messages, because the hub must process both. */
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
