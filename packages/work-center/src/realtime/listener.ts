import type { DatabasePassword } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { type ListeningSession, openListeningSession } from './listening-session.ts'

export interface ListenerOptions {
  readonly url: string
  readonly password?: DatabasePassword | undefined
  readonly channel: string
  readonly config: {
    readonly canaryIntervalMs: number
    readonly reconnectMinMs: number
    readonly reconnectMaxMs: number
  }
  readonly logger: KitEnv['Variables']['logger']
  onPayload(payload: string): void
  /** Called when listening starts or resumes. Announcements before this call may have been lost. */
  onListening(): void
}

export interface Listener {
  close(): Promise<void>
}

/**
 * Listens until `close` is called. After a session is lost, waits and then opens a new session. Each failed attempt
 * doubles the wait. A random factor shortens each wait, so that replicas do not all reconnect at the same moment.
 */
export function startListener(options: ListenerOptions): Listener {
  const { reconnectMinMs, reconnectMaxMs } = options.config
  let session: ListeningSession | undefined
  let timer: NodeJS.Timeout | undefined
  let lossCount = 0

  const onLost = (err: unknown): void => {
    // Log once per loss, not once per attempt.
    if (lossCount === 0) {
      options.logger.warn({ err }, 'Not receiving changes of other replicas; trying to listen again.')
    }
    lossCount += 1
    timer = setTimeout(open, waitMs())
  }
  const open = (): void => {
    try {
      session = openListeningSession({
        url: options.url,
        password: options.password,
        channel: options.channel,
        canaryIntervalMs: options.config.canaryIntervalMs,
        onPayload: options.onPayload,
        onListening() {
          if (lossCount > 0) options.logger.info('Receiving changes of other replicas again.')
          lossCount = 0
          options.onListening()
        },
        onLost,
      })
    } catch (error) {
      // The file of the authorities can be missing, for example during its replacement. A timer calls this function, so an
      // error would end the process.
      onLost(error)
    }
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
