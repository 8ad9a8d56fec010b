import { administrationApi } from './administration.ts'
import { contentApi } from './content.ts'
import { documentsApi } from './documents.ts'
import { getWith } from './get.ts'
import { historyApi } from './history.ts'
import { createSend, noAccessToken, type Send, type SendOptions } from './send.ts'
import { teamApi } from './team.ts'
import { workCenterApi } from './work-center.ts'

/** Typed calls for every endpoint of the service. */
export interface Client
  extends ReturnType<typeof administrationApi>,
    ReturnType<typeof contentApi>,
    ReturnType<typeof historyApi>,
    ReturnType<typeof teamApi>,
    ReturnType<typeof workCenterApi> {
  readonly documents: ReturnType<typeof documentsApi>
  /** Sends a request to an endpoint of the vertical. Handles the token, errors and retries like every other call. */
  readonly request: Send
  /** The service's base URL. Pages need the URL and `accessToken` to open other connections, such as a WebSocket. */
  readonly baseUrl: string
  readonly accessToken: NonNullable<SendOptions['accessToken']>
}

/** The options of {@link createClient}. */
export interface ClientOptions extends SendOptions {}

/**
 * Creates a client. The client keeps no state and returns the service's responses unchanged.
 *
 * Calls reject with a `KitError`. After a temporary failure, the client retries calls that are safe to repeat up to three
 * times. It never retries other calls.
 */
export function createClient(options: ClientOptions = {}): Client {
  const send = createSend(options)
  const get = getWith(send)
  return {
    ...administrationApi(send, get),
    ...contentApi(send, get),
    ...historyApi(send, get),
    ...teamApi(send, get),
    ...workCenterApi(send, get),
    documents: documentsApi(send, get),
    request: send,
    baseUrl: (options.baseUrl ?? '').replace(/\/+$/, ''),
    accessToken: options.accessToken ?? noAccessToken,
  }
}
