/** The remaining work of the outbox, by consumer. */
export interface OutboxState {
  consumers: {
    consumer: string
    pendingCount: number
    deadCount: number
    /** Null if nothing is pending, or if all pending deliveries wait for a dead letter. */
    oldestPendingAgeSeconds: number | null
  }[]
}

/** A delivery whose attempts have all failed. Later events of its subject wait until it is retried or discarded. */
export interface DeadLetter {
  eventId: string
  consumer: string
  type: string
  subject: string
  attempts: number
  deadSinceUtc: string
  heldBackCount: number
  /** Null if the last attempt did not end. */
  lastError: string | null
}

/** An event with its deliveries and all attempts, oldest first. */
export interface OutboxEventHistory {
  id: string
  type: string
  source: string
  subject: string
  appendedAtUtc: string
  correlationId: string | null
  deliveries: { consumer: string; state: string; sinceUtc: string }[]
  attempts: {
    consumer: string
    attempt: number
    startedAtUtc: string
    endedAtUtc: string
    outcome: 'completed' | 'failed' | 'abandoned'
    error: string | null
  }[]
}
