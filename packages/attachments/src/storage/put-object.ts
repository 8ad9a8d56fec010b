import { Readable } from 'node:stream'
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3'
import { storageUnavailable } from './store-failure.ts'

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
  // The SDK pipes the body but does not listen for its errors.
  const body = Readable.from(notCountingTheSource(Body, silence)).once('error', (e) => ending.abort(e))
  const isEnded = AbortSignal.any(signal === undefined ? [ending.signal] : [ending.signal, signal])
  try {
    isEnded.throwIfAborted()
    const abortSignal = AbortSignal.any([isEnded, silence.signal])
    await client.send(new PutObjectCommand({ ...input, Body: body }), { abortSignal })
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

/** Yields the chunks and stops the timer while the source prepares a chunk: a slow source is not a failed store. */
async function* notCountingTheSource(
  chunks: AsyncIterable<Uint8Array>,
  silence: Silence,
): AsyncGenerator<Uint8Array> {
  silence.stop()
  for await (const chunk of chunks) {
    silence.restart()
    yield chunk
    silence.stop()
  }
  silence.restart()
}
