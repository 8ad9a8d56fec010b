import type { Client } from '../client/client.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import { connectOnce } from './hub-connection.ts'

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

/** The input of one connection. */
export interface ConnectHub {
  readonly client: Client
  readonly events: HubEvents
  readonly signal: AbortSignal
  /** Whether to renew the access token, because the service has refused it. */
  readonly refresh: boolean
}

export interface KeepConnected extends Omit<ConnectHub, 'refresh'> {
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
  let connectedAtMs = Number.POSITIVE_INFINITY
  const connected: HubEvents['connected'] = (hub) => {
    connectedAtMs = performance.now()
    events.connected(hub)
  }
  while (!signal.aborted) {
    connectedAtMs = Number.POSITIVE_INFINITY
    const refresh = status === '401'
    const attempt = connectOnce({ client, events: { ...events, connected }, signal, refresh })
    const failure = await attempt.catch((error: unknown) => error)
    if (signal.aborted) return
    // SignalR reports the status of a refused negotiation only in the error message.
    status = failure instanceof Error ? /Status code '(\d+)'/.exec(failure.message)?.[1] : undefined
    events.lost(status === '401' || status === '403' ? 'refused' : 'other')
    if (performance.now() - connectedAtMs >= steadyMs) failures = 0
    await pause(reconnectDelayMs(failures, Math.random()), signal)
    failures += 1
  }
}
