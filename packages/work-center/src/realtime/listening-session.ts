import { randomUUID } from 'node:crypto'
import { openPostgresClient } from '@vertical-kit/core-audit/database'

export interface ListeningSessionOptions {
  readonly url: string
  readonly channel: string
  readonly canaryIntervalMs: number
  onListening(): void
  onPayload(payload: string): void
  /** Called once, whatever it was: refused, closed, or silent. `close` does not call it. */
  onLost(cause: unknown): void
}

/** One connection that listens, from its opening to its end; who wants another opens another. */
export interface ListeningSession {
  close(): Promise<void>
}

const closeGraceSeconds = 1

/**
 * Listens on a connection of its own. Each `canaryIntervalMs` it notifies itself, and whoever has not heard from itself by
 * the next time is lost: a connection may be gone without either side being told, and a pooler may have given the
 * server's side of it to somebody else.
 *
 * ```
 * connecting ──listen answered──▶ listening ──canary heard──▶ listening
 *      └──────refused, closed, or nothing heard between two canaries──────▶ lost
 * ```
 */
export function openListeningSession(options: ListeningSessionOptions): ListeningSession {
  const { url, channel, canaryIntervalMs } = options
  let isEnded = false
  let hasHeard = false
  let canary: string | undefined

  const client = openPostgresClient(url, {
    connect_timeout: canaryIntervalMs / 1_000,
    max_lifetime: null,
    prepare: false,
    onclose: () => lose(new Error('The listening connection closed.')),
    // Public as `client.listen` alone, which connects anew by itself and does not say when it is lost.
    onnotify(_channel, payload) {
      if (payload === canary) hasHeard = true
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
    if (!hasHeard) return lose(new Error('The listening connection heard nothing from itself.'))
    hasHeard = false
    canary = `${canaryPrefix}${randomUUID()}`
    void run(`select pg_catalog.pg_notify('${channel}', '${canary}')`)
  }, canaryIntervalMs)

  void run(`listen ${channel}`).then(() => {
    if (isEnded) return
    hasHeard = true
    options.onListening()
  })
  return { close: () => end(closeGraceSeconds) }
}

/** Every replica hears those of all. */
const canaryPrefix = 'canary '

/** Whether a payload is a sign of life of some listener, and no announcement. */
export const isCanary = (payload: string): boolean => payload.startsWith(canaryPrefix)
