import type { KitEnv } from '@vertical-kit/core-audit/http'
import { type ListeningSession, openListeningSession } from './listening-session.ts'

export interface ListenerOptions {
  readonly url: string
  readonly channel: string
  readonly config: {
    readonly canaryIntervalMs: number
    readonly reconnectMinMs: number
    readonly reconnectMaxMs: number
  }
  readonly logger: KitEnv['Variables']['logger']
  onPayload(payload: string): void
  /** Listens from now on, for the first time or again: what was announced before was not heard. */
  onListening(): void
}

export interface Listener {
  close(): Promise<void>
}

/**
 * Listens for good: a session that is lost is followed by another one, at once, then after waits that double, each
 * shortened by chance, so that replicas do not all come back to a server at the same moment.
 */
export function startListener(options: ListenerOptions): Listener {
  const { reconnectMinMs, reconnectMaxMs } = options.config
  let session: ListeningSession | undefined
  let timer: NodeJS.Timeout | undefined
  let lossCount = 0

  const open = (): void => {
    session = openListeningSession({
      url: options.url,
      channel: options.channel,
      canaryIntervalMs: options.config.canaryIntervalMs,
      onPayload: options.onPayload,
      onListening() {
        if (lossCount > 0) options.logger.info('Changes of other replicas are heard again.')
        lossCount = 0
        options.onListening()
      },
      onLost(err) {
        // Once a loss, not once an attempt.
        if (lossCount === 0) {
          options.logger.warn({ err }, 'Changes of other replicas are not heard; trying to listen again.')
        }
        lossCount += 1
        timer = setTimeout(open, waitMs())
      },
    })
  }
  const waitMs = (): number => {
    const ms = Math.min(reconnectMinMs * 2 ** (lossCount - 1), reconnectMaxMs)
    return ms * (0.5 + Math.random() / 2)
  }

  open()
  return {
    async close() {
      clearTimeout(timer)
      await session?.close()
    },
  }
}
