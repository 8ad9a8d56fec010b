import { contentApi } from './content.ts'
import { documentsApi } from './documents.ts'
import { createSend, noAccessToken, type Send, type SendOptions } from './send.ts'
import { workCenterApi } from './work-center.ts'

/** Typed calls for every endpoint of the service. */
export interface Client extends ReturnType<typeof contentApi>, ReturnType<typeof workCenterApi> {
  readonly documents: ReturnType<typeof documentsApi>
  /** Sends a request to one of the vertical's own endpoints, with the client's token, errors and retries. */
  readonly request: Send
  /** The service's base URL. Use it and `accessToken` for other connections, such as a WebSocket. */
  readonly baseUrl: string
  readonly accessToken: NonNullable<SendOptions['accessToken']>
}

/** The options of {@link createClient}. */
export interface ClientOptions extends SendOptions {}

/**
 * Creates a client. It keeps no state and returns the service's answers unchanged.
 *
 * Calls reject with a `KitError`. After a temporary failure, calls that are safe to repeat are retried up to three times;
 * other calls are never retried.
 */
export function createClient(options: ClientOptions = {}): Client {
  const send = createSend(options)
  return {
    ...contentApi(send),
    ...workCenterApi(send),
    documents: documentsApi(send),
    request: send,
    baseUrl: (options.baseUrl ?? '').replace(/\/+$/, ''),
    accessToken: options.accessToken ?? noAccessToken,
  }
}
