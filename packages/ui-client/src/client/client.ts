import { contentApi } from './content.ts'
import { documentsApi } from './documents.ts'
import { createSend, noAccessToken, type Send, type SendOptions } from './send.ts'
import { workCenterApi } from './work-center.ts'

/** Calls for every endpoint, each typed by what the service answers. */
export interface Client extends ReturnType<typeof contentApi>, ReturnType<typeof workCenterApi> {
  readonly documents: ReturnType<typeof documentsApi>
  /** For a vertical's own endpoints: the same token, errors and retries. */
  readonly request: Send
  /** The service's address, and the token: for what is not a request, such as a connection that stays open. */
  readonly baseUrl: string
  readonly accessToken: NonNullable<SendOptions['accessToken']>
}

/** How a client reaches the service, and as whom. */
export interface ClientOptions extends SendOptions {}

/**
 * Makes a client. It keeps no state: what it answers is what the service said.
 *
 * Calls reject with a `KitError`. Those that may be repeated without a second effect are, up to three times, when a failure
 * may pass; the others never.
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
