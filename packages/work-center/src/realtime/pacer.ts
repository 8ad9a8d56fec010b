/** A subject of messages, with the time of its last message. */
export interface Paced {
  sentAtMs: number
}

export interface PacerOptions<Topic extends Paced> {
  readonly quietMs: number
  readonly now: () => number
  readonly send: (topic: Topic) => void
}

/** Limits how often messages about one topic are sent. */
export interface Pacer<Topic extends Paced> {
  /** Sends now if the last message about the topic is at least `quietMs` old. Otherwise sends once, soon. */
  request(topic: Topic): void
  /** Sends now. */
  send(topic: Topic): void
  stop(): void
}

/**
 * Creates a pacer. It sends the first message immediately, and combines all further requests within `quietMs` (100 ms). An
 * import of a thousand invoices therefore reloads a page ten times a second, not a thousand times, and users cannot count
 * the changes of other users. One timer serves all topics.
 */
export function createPacer<Topic extends Paced>(options: PacerOptions<Topic>): Pacer<Topic> {
  const { quietMs, now } = options
  const waiting = new Set<Topic>()
  let timer: NodeJS.Timeout | undefined

  const send = (topic: Topic): void => {
    waiting.delete(topic)
    topic.sentAtMs = now()
    options.send(topic)
  }
  const sendWaiting = (): void => {
    timer = undefined
    for (const topic of waiting) send(topic)
  }

  return {
    send,
    request(topic) {
      if (now() - topic.sentAtMs >= quietMs) return send(topic)
      waiting.add(topic)
      timer ??= setTimeout(sendWaiting, quietMs)
    },
    stop() {
      clearTimeout(timer)
      waiting.clear()
    },
  }
}
