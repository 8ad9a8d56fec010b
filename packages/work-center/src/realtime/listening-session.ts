import { randomUUID } from 'node:crypto'
import { type DatabasePassword, openPostgresClient } from '@vertical-kit/core-audit/database'

export interface ListeningSessionOptions {
  readonly url: string
  readonly password?: DatabasePassword | undefined
  readonly channel: string
  readonly canaryIntervalMs: number
  onListening(): void
  onPayload(payload: string): void
  /** Called once if the connection is refused, closes or becomes silent. Not called after `close`. */
  onLost(cause: unknown): void
}

/** One listening connection, from its opening to its end. The session does not reconnect. */
export interface ListeningSession {
  close(): Promise<void>
}

const closeGraceSeconds = 1

/**
 * Listens on a dedicated connection. Every `canaryIntervalMs`, the session sends a canary notification to itself. If the
 * canary does not arrive within the interval, the session is lost. The canary detects connections that break silently, and
 * connections with a server session that a pooler has assigned to another client.
 *
 * ```
 * connecting ──listen succeeds──▶ listening ──canary received──▶ listening
 *      └──────refused, closed, or no canary received within the interval──────▶ lost
 * ```
 */
export function openListeningSession(options: ListeningSessionOptions): ListeningSession {
  const { url, channel, canaryIntervalMs } = options
  let isEnded = false
  let hasReceivedCanary = false
  let canary: string | undefined

  const client = openPostgresClient(url, {
    password: options.password,
    connect_timeout: canaryIntervalMs / 1_000,
    prepare: false,
    // A standby refuses LISTEN.
    target_session_attrs: 'primary',
    onclose: () => lose(new Error('The listening connection closed.')),
    // `client.listen` is not used, because it reconnects automatically and does not report a lost connection.
    onnotify(_channel, payload) {
      if (payload === canary) hasReceivedCanary = true
      else options.onPayload(payload)
    },
    connection: { application_name: 'vertical-kit-realtime' },
  })

  const end = (graceSeconds: number): Promise<void> => {
    isEnded = true
    clearInterval(timer)
    return client.end(graceSeconds)
  }
  const lose = (cause: unknown): void => {
    if (isEnded) return
    end(0).catch(() => {})
    options.onLost(cause)
  }
  const run = (statement: string): Promise<unknown> =>
    Promise.resolve(client.sql.unsafe(statement)).catch(lose)

  const timer = setInterval(() => {
    if (!hasReceivedCanary) return lose(new Error('The listening connection did not receive its own canary.'))
    hasReceivedCanary = false
    canary = `${canaryPrefix}${randomUUID()}`
    void run(`select pg_catalog.pg_notify('${channel}', '${canary}')`)
  }, canaryIntervalMs)

  void run(`listen ${channel}`).then(() => {
    if (isEnded) return
    hasReceivedCanary = true
    options.onListening()
  })
  return { close: () => end(closeGraceSeconds) }
}

/** The start of each canary. Every replica receives the canaries of all replicas and must recognise them. */
const canaryPrefix = 'canary '

/** Returns whether a payload is the canary of any session. All other payloads are announcements. */
export const isCanary = (payload: string): boolean => payload.startsWith(canaryPrefix)
