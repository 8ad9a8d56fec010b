import type { PresignedUpload } from '../wire/attachments.ts'
import { isKitError, KitError } from './kit-error.ts'

export interface SendBytes {
  readonly signal: AbortSignal
  /** Called with the number of bytes sent so far. Never called in environments without `XMLHttpRequest`. */
  readonly onProgress?: (sentBytes: number) => void
}

/** After this time without progress or a response, the connection counts as lost. Browsers would wait much longer. */
const stalledMs = 60_000

/**
 * Sends a file to the object store in one request, with exactly the headers of `target` and without a token or cookies.
 * Resolves when the store has received the file. The transfer can be repeated until the URL expires; the store keeps the
 * bytes of the last transfer.
 *
 * @throws {KitError} client.transfer_failed, with the status of the store, or with status 0 after a lost connection
 */
export function sendBytes(target: PresignedUpload, body: Blob, options: SendBytes): Promise<void> {
  return typeof XMLHttpRequest === 'undefined'
    ? sendByFetch(target, body, options)
    : sendByXhr(target, body, options)
}

/** Uses `XMLHttpRequest`, because `fetch` does not report the progress of an upload. */
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
    signal.addEventListener('abort', abort)
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

/** Creates the error of a failed transfer. Omits the store's message, which is meant for the store's operators. */
const transferFailed = (status: number, cause?: unknown): KitError =>
  new KitError(
    { code: 'client.transfer_failed', status, detail: 'The file could not be transferred.' },
    { cause },
  )

export interface ReceiveBytes extends SendBytes {
  /** The expected size. A file with another size is incomplete. */
  readonly sizeBytes: number
}

/**
 * Loads a file from the object store, without a token or cookies. The bucket must allow `GET` requests of the page's origin.
 *
 * @throws {KitError} client.transfer_failed, with the status of the store, or with status 0 after a lost connection
 */
export async function receiveBytes(url: string, options: ReceiveBytes): Promise<Blob> {
  const { signal, sizeBytes, onProgress } = options
  try {
    // The browser may have stored a response of a download without CORS headers. Such a response would be refused here.
    const request = { credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store', signal } as const
    const response = await fetch(url, request)
    if (!response.ok || response.body === null) throw transferFailed(response.status)
    let receivedBytes = 0
    const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        receivedBytes += chunk.length
        onProgress?.(receivedBytes)
        controller.enqueue(chunk)
      },
    })
    const file = await new Response(response.body.pipeThrough(counting)).blob()
    if (file.size === sizeBytes) return file
    throw transferFailed(response.status)
  } catch (cause) {
    signal.throwIfAborted()
    throw isKitError(cause) ? cause : transferFailed(0, cause)
  }
}
