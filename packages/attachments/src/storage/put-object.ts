import { Readable } from 'node:stream'
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3'
import { storageUnavailable } from './store-failure.ts'

export interface PutOptions {
  /** The maximum time without progress: the store accepts no bytes, or sends no answer after the body. */
  readonly silenceMs: number
  /** Aborts the upload; `putObject` then rejects with the reason of the signal. */
  readonly signal: AbortSignal | undefined
}

export type Put = Omit<PutObjectCommandInput, 'Body'> & {
  /** Required, because S3 rejects a body of unknown length. */
  readonly ContentLength: number
  readonly Body: AsyncIterable<Uint8Array>
}

/**
 * Sends an object chunk by chunk, as fast as the store accepts it, so memory contains only a few chunks. If the body
 * fails, the upload stops and leaves no object, because the store has received less than the declared length.
 *
 * @throws {AttachmentsError} attachments.storage_unavailable; also the error of a failing body and the signal's reason
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

/** A timer for the silence of the store. It runs from its creation and aborts `signal` when it expires. */
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

/** Stops the timer while the source prepares the next chunk: a slow source is not a failure of the store. */
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
