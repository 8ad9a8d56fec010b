import { isKitError, KitError } from '../client/kit-error.ts'
import { retryDelayMs } from '../client/retry.ts'
import { sendBytes } from '../client/transfer.ts'
import type { Session } from '../session/session.ts'
import type { PresignedPart, PresignedUpload, UploadedParts } from '../wire/attachments.ts'
import { perSession } from './per-session.ts'
import type { UploadJob } from './upload-job.ts'
import { createQueue } from './upload-queue.ts'

/** Files up to this size are sent in one request, because sending them again after a failure costs little. */
const maxWholeBytes = 16 * 1_048_576

/** Returns whether a file is sent in parts. */
export const isLarge = ({ size }: File): boolean => size > maxWholeBytes

/**
 * Maximum number of parts that a session sends at once, and number of parts that are signed together. With two other files
 * that are sent whole, these are five requests. Browsers open only six connections to a server (HTTP/1.1), and a request
 * that waits for a connection would count as stalled.
 */
const maxPartsAtOnce = 3

const queueOf = perSession(() => createQueue(maxPartsAtOnce))

export interface SendParts {
  readonly session: Session
  /** Called with the number of bytes that the store has received, including the parts of earlier attempts. */
  readonly onProgress: (sentBytes: number) => void
}

/**
 * Sends the parts that the object store does not have, or has with another size. A part is sent again after a temporary failure.
 * After another failure, the requests of the other parts end. Another call then sends only the parts that are still missing.
 *
 * @throws {KitError} client.transfer_failed, or an error of the calls `listParts` and `signParts`
 */
export async function sendParts(job: UploadJob, { session, onProgress }: SendParts): Promise<void> {
  const ending = new AbortController()
  const signal = AbortSignal.any([job.signal, ending.signal])
  const { attachments } = session.client
  const id = job.attachmentId ?? ''
  const { missing, storedBytes } = missingParts(job.file, await attachments.listParts(id, { signal }))
  const sign = async (partNumbers: readonly number[]): Promise<readonly PresignedPart[]> =>
    (await attachments.signParts({ id, partNumbers, signal })).items
  const signed = signInTurn([...missing.keys()], sign)
  const setSent = sumOfParts(storedBytes, (sentBytes) => {
    // After a failure, a response that is already under way must not show the upload as running again.
    if (!signal.aborted) onProgress(sentBytes)
  })
  /** Resolves with false if no part is left. */
  const sendNext = async (): Promise<boolean> => {
    signal.throwIfAborted()
    const { value: part } = await signed.next()
    const bytes = part && missing.get(part.partNumber)
    if (part === undefined || bytes === undefined) return false
    const onPart = (sent: number) => setSent(part.partNumber, sent)
    const send = async (): Promise<void> => {
      // The URL can expire while other parts are sent, and before a repetition.
      const [current = part] = isExpired(part) ? await sign([part.partNumber]) : []
      await sendBytes(current, bytes, { signal, onProgress: onPart })
    }
    await repeated(send, (ms) => session.wait(ms, signal))
    // Environments without `XMLHttpRequest` report no progress.
    onPart(bytes.size)
    return true
  }
  const sendInTurn = async (): Promise<void> => {
    let isPartLeft = true
    while (isPartLeft) isPartLeft = await queueOf(session)(sendNext)
  }
  try {
    await Promise.all(Array.from({ length: maxPartsAtOnce }, sendInTurn))
  } finally {
    ending.abort()
  }
}

/** Repeats a transfer after temporary failures, with the delays of repeatable requests: one of many parts must not end all. */
async function repeated(transfer: () => Promise<void>, wait: (ms: number) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transfer()
    } catch (error) {
      const delayMs = retryDelayMs(asTemporary(error), attempt, Math.random())
      if (delayMs === null) throw error
      await wait(delayMs)
    }
  }
}

/** S3 asks for a repetition after `500 InternalError`. A part can be sent twice. */
const asTemporary = (error: unknown): unknown =>
  isKitError(error) && error.status === 500
    ? new KitError({ code: error.code, status: 503, detail: error.message })
    : error

/** Returns the bytes of each missing part by its number, and the number of bytes that the store already has. */
function missingParts(file: File, { partSizeBytes, partCount, items }: UploadedParts) {
  const storedSizes = new Map(items.map(({ partNumber, sizeBytes }) => [partNumber, sizeBytes]))
  const missing = new Map<number, Blob>()
  let storedBytes = file.size
  for (let partNumber = 1; partNumber <= partCount; partNumber += 1) {
    const bytes = file.slice((partNumber - 1) * partSizeBytes, partNumber * partSizeBytes)
    if (storedSizes.get(partNumber) === bytes.size) continue
    missing.set(partNumber, bytes)
    storedBytes -= bytes.size
  }
  return { missing, storedBytes }
}

/** Returns a function that sets how many bytes of a part were sent. Calls `onSum` with the sum of all bytes. */
function sumOfParts(storedBytes: number, onSum: (sentBytes: number) => void) {
  const sentBytes = new Map<number, number>()
  onSum(storedBytes)
  return (partNumber: number, bytes: number): void => {
    sentBytes.set(partNumber, bytes)
    onSum([...sentBytes.values()].reduce((sum, one) => sum + one, storedBytes))
  }
}

/** Signs some parts when the next one is needed. */
async function* signInTurn(
  partNumbers: readonly number[],
  sign: (partNumbers: readonly number[]) => Promise<readonly PresignedPart[]>,
): AsyncGenerator<PresignedPart, undefined> {
  for (let start = 0; start < partNumbers.length; start += maxPartsAtOnce) {
    yield* await sign(partNumbers.slice(start, start + maxPartsAtOnce))
  }
  return undefined
}

/** Returns whether a URL has expired. If the browser's clock is wrong, only another URL is needed. */
export const isExpired = ({ expiresAtUtc }: PresignedUpload): boolean =>
  Date.parse(expiresAtUtc) <= Date.now()
