import type { Client } from '../client/client.ts'
import { wait } from '../client/wait.ts'

/** What becomes of a connection to the hub. */
export interface HubEvents {
  connected(): void
  /** It has ended, or could not be made, perhaps because the service refuses the user; another try follows. */
  lost(why: 'refused' | 'other'): void
  /** The user's Work Center is at this version now. */
  changed(version: number): void
}

export interface KeepConnected {
  readonly client: Client
  readonly events: HubEvents
  readonly signal: AbortSignal
  /** Pauses between two tries; may end early, when another is worth it. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

const retryDelaysMs = [0, 1_000, 2_000, 5_000, 10_000]
const maxRetryDelayMs = 30_000
/** A connection that was shorter is no success: the next one waits longer, or a service that lets in and throws out is hammered. */
const steadyMs = 5_000

/**
 * How long to wait before the next try, however often it has failed: never for good, and spread over half of its length,
 * so that the clients of a service that restarts do not come back together. The first is at once, for the same reason within
 * a quarter of a second.
 *
 * @param failures in a row before this one
 * @param random from 0 up to 1
 */
export function reconnectDelayMs(failures: number, random: number): number {
  const delayMs = retryDelaysMs[failures] ?? maxRetryDelayMs
  return delayMs === 0 ? random * 250 : delayMs * (1 + random / 2)
}

/** Keeps one connection to the hub until the signal: whatever ends it, a first try that fails included, another follows. */
export async function keepConnected({ client, events, signal, pause }: KeepConnected): Promise<void> {
  let failures = 0
  let status: string | undefined
  while (!signal.aborted) {
    const beganMs = performance.now()
    const failure = await connectOnce(client, events, { signal, refresh: status === '401' })
    if (signal.aborted) return
    // SignalR tells the status of a refused negotiation in words alone.
    status = failure instanceof Error ? /Status code '(\d+)'/.exec(failure.message)?.[1] : undefined
    events.lost(status === '401' || status === '403' ? 'refused' : 'other')
    if (performance.now() - beganMs >= steadyMs) failures = 0
    await pause(reconnectDelayMs(failures, Math.random()), signal)
    failures += 1
  }
}

/** Resolves when the connection has ended, with why. The library is loaded with the first one. */
async function connectOnce(
  client: Client,
  events: HubEvents,
  { signal, refresh }: { readonly signal: AbortSignal; readonly refresh: boolean },
): Promise<unknown> {
  try {
    const { HttpTransportType, HubConnectionBuilder, LogLevel } = await import('@microsoft/signalr')
    // Asked for twice, for the negotiation and for the socket: the second takes what the first has renewed.
    let ask = { refresh }
    const accessTokenFactory = async () => {
      const token = await client.accessToken(ask)
      ask = { refresh: false }
      return token ?? ''
    }
    const connection = new HubConnectionBuilder()
      .withUrl(`${client.baseUrl}/hubs/work-center`, {
        transport: HttpTransportType.WebSockets,
        withCredentials: false,
        accessTokenFactory,
      })
      // It would write addresses to the console, and the token is in them.
      .configureLogging(LogLevel.None)
      .build()
    connection.on('workCenterChanged', (version: unknown) => {
      if (typeof version === 'number') events.changed(version)
    })
    const ended = new Promise<unknown>((resolve) => connection.onclose(resolve))
    const stop = () => void connection.stop()
    signal.throwIfAborted()
    signal.addEventListener('abort', stop, { once: true })
    try {
      await connection.start()
      signal.throwIfAborted()
      events.connected()
      return await ended
    } finally {
      signal.removeEventListener('abort', stop)
    }
  } catch (error) {
    return error
  }
}

/** A pause that can be cut short: `skip` ends the one that is under way. */
export function skippablePause(): { readonly pause: KeepConnected['pause']; skip(): void } {
  let skipping = new AbortController()
  return {
    async pause(ms, signal) {
      skipping = new AbortController()
      await wait(ms, AbortSignal.any([signal, skipping.signal])).catch(() => {})
    },
    skip: () => skipping.abort(),
  }
}
