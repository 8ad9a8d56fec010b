/** Something asked of the server. Each call may be repeated: only a change counts. */
export interface Exchange {
  /** The server owes an answer from now on. */
  asked(): void
  /** The server owes none any more. */
  answered(): void
}

/** Bounds how long a server may owe an answer without giving any. */
export interface AnswerDeadline {
  exchange(): Exchange
  /** The connection has ended: nothing is awaited any more. */
  stop(): void
}

/**
 * Calls `onMissed` when something is owed and nothing was answered for `deadlineMs`; never when that is `null`. Statements
 * that wait in line behind others have the same time each, counted from the answer before theirs.
 *
 * One timer a connection: an answer costs a refresh of it, and a timer that ends while nothing is owed does nothing.
 */
export function createAnswerDeadline(deadlineMs: number | null, onMissed: () => void): AnswerDeadline {
  let owedCount = 0
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  const wait = (): void => {
    if (isStopped || deadlineMs === null) return
    // The socket keeps the process alive while something is owed.
    timer ??= setTimeout(() => owedCount > 0 && onMissed(), deadlineMs).unref()
    timer.refresh()
  }

  return {
    exchange() {
      let isOwed = false
      return {
        asked() {
          if (isOwed) return
          isOwed = true
          owedCount += 1
          if (owedCount === 1) wait()
        },
        answered() {
          if (!isOwed) return
          isOwed = false
          owedCount -= 1
          if (owedCount > 0) wait()
        },
      }
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
