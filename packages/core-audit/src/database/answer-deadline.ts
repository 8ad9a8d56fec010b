/** One request to the server. Repeating a call has no effect. */
export interface Exchange {
  /** Marks the answer as pending. */
  asked(): void
  /** Marks the answer as received. */
  answered(): void
}

/** Limits how long an answer of the server can be pending. */
export interface AnswerDeadline {
  exchange(): Exchange
  /** Ends the deadline, because the connection has ended. */
  stop(): void
}

/**
 * Calls `onMissed` if an answer is pending and no answer has arrived for `deadlineMs`; never if that is `null`. A statement
 * that waits in line behind others gets the full time, counted from the answer before its own.
 *
 * One timer per connection: an answer refreshes it, and it does nothing if it fires while no answer is pending.
 */
export function createAnswerDeadline(deadlineMs: number | null, onMissed: () => void): AnswerDeadline {
  let pendingCount = 0
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const wait = (): void => {
    if (isStopped || deadlineMs === null) return
    // `unref`, because the socket keeps the process alive while an answer is pending.
    timer ??= setTimeout(() => pendingCount > 0 && onMissed(), deadlineMs).unref()
    timer.refresh()
  }

  return {
    exchange() {
      let isPending = false
      return {
        asked() {
          if (isPending) return
          isPending = true
          pendingCount += 1
          if (pendingCount === 1) wait()
        },
        answered() {
          if (!isPending) return
          isPending = false
          pendingCount -= 1
          if (pendingCount > 0) wait()
        },
      }
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
