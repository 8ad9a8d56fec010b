import type { Client } from '../client/client.ts'
import { wait } from '../client/wait.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** The methods of the hub, on an open connection. They reject when the connection ends. */
export interface HubMethods {
  /** Resolves with whether the hub announces changes of the object from now on. */
  subscribe(target: BusinessObjectReference): Promise<boolean>
  unsubscribe(target: BusinessObjectReference): Promise<void>
}

/** Callbacks for the states of a connection to the hub. */
export interface HubEvents {
  connected(hub: HubMethods): void
  /** The hub announced a change of an object. */
  objectChanged(target: BusinessObjectReference): void
  /** The connection ended or failed, and another attempt follows. `refused` means that the service refused the user. */
  lost(why: 'refused' | 'other'): void
  /** The hub sent the current version of the user's Work Center. */
  changed(version: number): void
}

export interface KeepConnected {
  readonly client: Client
  readonly events: HubEvents
  readonly signal: AbortSignal
  /** Waits between two attempts. The wait can end early, for example when the network is available again. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

const retryDelaysMs = [0, 1_000, 2_000, 5_000, 10_000]
const maxRetryDelayMs = 30_000
/** Shorter connections count as failures and increase the delay: the service may accept and then drop connections. */
const steadyMs = 5_000

/**
 * Returns the delay before the next attempt. Attempts never stop. Without previous failures, the delay is a random time
 * of at most 250 ms. Otherwise the delay is extended by a random time of at most half of its length. Therefore, clients do
 * not all reconnect together after the service restarts.
 *
 * @param failures the number of consecutive failures before this one
 * @param random a number that is at least 0 and less than 1
 */
export function reconnectDelayMs(failures: number, random: number): number {
  const delayMs = retryDelaysMs[failures] ?? maxRetryDelayMs
  return delayMs === 0 ? random * 250 : delayMs * (1 + random / 2)
}

/** Keeps one connection to the hub open until the signal is aborted. Retries every failure, even of the first attempt. */
export async function keepConnected({ client, events, signal, pause }: KeepConnected): Promise<void> {
  let failures = 0
  let status: string | undefined
  while (!signal.aborted) {
    const beganMs = performance.now()
    const failure = await connectOnce(client, events, { signal, refresh: status === '401' })
    if (signal.aborted) return
    // SignalR reports the status of a refused negotiation only in the error message.
    status = failure instanceof Error ? /Status code '(\d+)'/.exec(failure.message)?.[1] : undefined
    events.lost(status === '401' || status === '403' ? 'refused' : 'other')
    if (performance.now() - beganMs >= steadyMs) failures = 0
    await pause(reconnectDelayMs(failures, Math.random()), signal)
    failures += 1
  }
}

/** Connects once. Resolves with the reason when the connection has ended. The first call loads the SignalR library. */
async function connectOnce(
  client: Client,
  events: HubEvents,
  { signal, refresh }: { readonly signal: AbortSignal; readonly refresh: boolean },
): Promise<unknown> {
  try {
    const { HttpTransportType, HubConnectionBuilder, LogLevel } = await import('@microsoft/signalr')
    // SignalR calls the factory for the negotiation and again for the socket. Only the first call renews the token.
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
      // SignalR would log URLs to the console, and the URLs contain the token.
      .configureLogging(LogLevel.None)
      .build()
    connection.on('workCenterChanged', (version: unknown) => {
      if (typeof version === 'number') events.changed(version)
    })
    connection.on('objectChanged', (kind: unknown, typeCode: unknown, id: unknown) => {
      events.objectChanged({ kind, typeCode, id } as BusinessObjectReference)
    })
    const ended = new Promise<unknown>((resolve) => connection.onclose(resolve))
    const stop = () => void connection.stop()
    signal.throwIfAborted()
    signal.addEventListener('abort', stop, { once: true })
    try {
      await connection.start()
      signal.throwIfAborted()
      events.connected({
        subscribe: ({ kind, typeCode, id }) => connection.invoke('subscribe', kind, typeCode, id),
        unsubscribe: ({ kind, typeCode, id }) => connection.invoke('unsubscribe', kind, typeCode, id),
      })
      return await ended
    } finally {
      signal.removeEventListener('abort', stop)
    }
  } catch (error) {
    return error
  }
}

/** Returns a function that pauses, and the function `skip`, which ends the current pause early. */
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
