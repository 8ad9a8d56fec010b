/** A request to the server and its answer. One object can be used for several requests, one after another. */
export interface Exchange {
  /** Marks the answer as pending. Has no effect if the answer is already pending. */
  asked(): void
  /** Marks the answer as received. Has no effect if no answer is pending. */
  answered(): void
}

/** Limits the time that the server can take to answer on one connection. */
export interface AnswerDeadline {
  exchange(): Exchange
  /** Stops the timer after the connection has ended. `onMissed` is not called afterwards. */
  stop(): void
}

/**
 * Creates the answer deadline of one connection. It calls `onMissed` if an answer is pending and no answer has arrived for
 * `deadlineMs`. If `deadlineMs` is `null`, it never calls `onMissed`. The server answers statements in order, so the time
 * of a queued statement starts at the previous answer.
 *
 * Each connection has one timer. Every answer restarts the timer. A timer that fires while no answer is pending is ignored.
 */
export function createAnswerDeadline(deadlineMs: number | null, onMissed: () => void): AnswerDeadline {
  let pendingCount = 0
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const wait = (): void => {
    if (isStopped || deadlineMs === null) return
    // `unref` is safe: while an answer is pending, the socket keeps the process alive.
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
