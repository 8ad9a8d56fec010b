import type { PresignedUpload } from '../wire/attachments.ts'
import { KitError } from './kit-error.ts'

export interface SendBytes {
  readonly signal: AbortSignal
  /** Hears how much is on its way; not at all where there is no `XMLHttpRequest`. */
  readonly onProgress?: (sentBytes: number) => void
}

/** Nothing sent and nothing answered for so long is a connection that is gone, whatever the browser still hopes. */
const stalledMs = 60_000

/**
 * Sends a file to the object store: one request, with the headers that came with its address and no others, neither token nor
 * cookies. Resolves when the store has it. May be repeated until the address expires: the last one counts.
 *
 * @throws {KitError} client.transfer_failed: with the store's status, or 0 when the connection was cut
 */
export function sendBytes(target: PresignedUpload, body: Blob, options: SendBytes): Promise<void> {
  return typeof XMLHttpRequest === 'undefined'
    ? sendByFetch(target, body, options)
    : sendByXhr(target, body, options)
}

/** The only way for a page to see how much of a body has been sent. */
function sendByXhr({ method, url, headers }: PresignedUpload, body: Blob, options: SendBytes): Promise<void> {
  const { signal, onProgress } = options
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    let stalled: ReturnType<typeof setTimeout> | undefined
    const watch = () => {
      clearTimeout(stalled)
      stalled = setTimeout(abort, stalledMs)
    }
    request.open(method, url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.withCredentials = false
    request.upload.onprogress = ({ loaded }) => {
      watch()
      onProgress?.(loaded)
    }
    request.onloadend = () => {
      clearTimeout(stalled)
      signal.removeEventListener('abort', abort)
      if (signal.aborted) reject(signal.reason)
      else if (isSuccess(request.status)) resolve()
      else reject(transferFailed(request.status))
    }
    signal.addEventListener('abort', abort, { once: true })
    watch()
    request.send(body)
  })
}

async function sendByFetch(target: PresignedUpload, body: Blob, { signal }: SendBytes): Promise<void> {
  const { method, url, headers } = target
  const request = fetch(url, { method, headers, body, signal, credentials: 'omit', redirect: 'error' })
  const { status } = await request.catch((cause: unknown) => {
    signal.throwIfAborted()
    throw transferFailed(0, cause)
  })
  if (!isSuccess(status)) throw transferFailed(status)
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** What the store says of itself is for its operators: its status is enough to go on. */
const transferFailed = (status: number, cause?: unknown): KitError =>
  new KitError({ code: 'client.transfer_failed', status, detail: 'The file could not be sent.' }, { cause })
