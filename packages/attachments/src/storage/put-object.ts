import { Readable } from 'node:stream'
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3'
import { incompleteAnswer, requireETag, storageUnavailable } from './store-failure.ts'

export interface PutOptions {
  /** The maximum time in which the store accepts no bytes, or sends no response after the end of the body. */
  readonly silenceMs: number
  /** If the signal aborts, `putObject` stops the upload and rejects with the reason of the signal. */
  readonly signal: AbortSignal | undefined
}

export type Put = Omit<PutObjectCommandInput, 'Body'> & {
  /** Required, because S3 rejects a body of unknown length. */
  readonly ContentLength: number
  readonly Body: AsyncIterable<Uint8Array>
}

/**
 * Sends an object to the store. Reads a chunk only when the store accepts more bytes, so memory contains only a few
 * chunks. If the body throws, the upload stops. The store then has less than the declared length and creates no object.
 *
 * @throws {AttachmentsError} attachments.storage_unavailable. If the body throws or the signal aborts, rejects with the
 *   error of the body or the reason of the signal.
 */
export async function putObject(
  client: S3Client,
  { Body, ...input }: Put,
  { silenceMs, signal }: PutOptions,
): Promise<void> {
  const ending = new AbortController()
  const silence = createSilence(silenceMs)
  let sentBytes = 0
  const onPiece = (piece: Uint8Array) => {
    sentBytes += piece.byteLength
    silence.restart()
  }
  // The SDK pipes the body but does not listen for its errors.
  const body = Readable.from(inPieces(Body, { onPiece, onWait: silence.stop })).once('error', (e) =>
    ending.abort(e),
  )
  const isEnded = AbortSignal.any(signal === undefined ? [ending.signal] : [ending.signal, signal])
  try {
    isEnded.throwIfAborted()
    const abortSignal = AbortSignal.any([isEnded, silence.signal])
    const { ETag } = await client.send(new PutObjectCommand({ ...input, Body: body }), { abortSignal })
    // A proxy in front of the store can answer with success, too, also before the whole body was read.
    requireETag(ETag)
    if (sentBytes !== input.ContentLength) throw incompleteAnswer('EARLY_ANSWER')
  } catch (error) {
    isEnded.throwIfAborted()
    throw storageUnavailable('PutObject', error)
  } finally {
    silence.stop()
    body.destroy()
  }
}

/** A timer that aborts `signal` when the store was silent for too long. The timer starts when it is created. */
interface Silence {
  readonly signal: AbortSignal
  restart(): void
  stop(): void
}

function createSilence(limitMs: number): Silence {
  const over = new AbortController()
  const start = () => setTimeout(() => over.abort(), limitMs)
  let timer = start()
  return {
    signal: over.signal,
    restart() {
      clearTimeout(timer)
      timer = start()
    },
    stop: () => clearTimeout(timer),
  }
}

/** A chunk can be a whole file. The store accepts each of these pieces in time, even if it is slow. */
const pieceBytes = 64 * 1024

/**
 * Yields the chunks in small pieces. Calls `onPiece` before each piece, and `onWait` while the source prepares a chunk: a slow
 * source is not a failed store.
 */
async function* inPieces(
  chunks: AsyncIterable<Uint8Array>,
  { onPiece, onWait }: { readonly onPiece: (piece: Uint8Array) => void; readonly onWait: () => void },
): AsyncGenerator<Uint8Array> {
  onWait()
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.byteLength; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes)
      onPiece(piece)
      yield piece
    }
    onWait()
  }
  onPiece(new Uint8Array())
}
