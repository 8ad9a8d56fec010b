import { HttpTransportType, HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { ConnectHub } from './realtime-connection.ts'

/**
 * Connects once to the hub. Resolves with the error, or undefined, when the connection has ended, and rejects if it cannot be
 * opened. This module contains the SignalR library.
 */
export async function connectOnce({ client, events, signal, refresh }: ConnectHub): Promise<unknown> {
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
  signal.addEventListener('abort', stop)
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
    // A callback can throw while the connection is open.
    stop()
  }
}
