import { Readable } from 'node:stream'
import { PutObjectCommand, type PutObjectCommandInput, type S3Client } from '@aws-sdk/client-s3'
import { storageUnavailable } from './store-failure.ts'

export interface PutOptions {
  /** How long the store may accept nothing of the body, and give no answer after it. */
  readonly silenceMs: number
  /** Ends the upload; `putObject` then rejects with the signal's reason. */
  readonly signal: AbortSignal | undefined
}

export type Put = Omit<PutObjectCommandInput, 'Body'> & {
  /** S3 refuses a body of unknown length. */
  readonly ContentLength: number
  readonly Body: AsyncIterable<Uint8Array>
}

/**
 * Sends an object chunk by chunk, as fast as the store accepts it: a few chunks are in memory at any time. A body that
 * rejects ends the upload and leaves no object, since the store has less than the announced length then.
 *
 * @throws {AttachmentsError} attachments.storage_unavailable; also whatever the body rejects with, and the signal's reason
 */
export async function putObject(
  client: S3Client,
  { Body, ...input }: Put,
  { silenceMs, signal }: PutOptions,
): Promise<void> {
  const ending = new AbortController()
  const silence = createSilence(silenceMs)
  // The SDK pipes a body and does not listen for its errors.
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

/** A clock of the store's silence, running from the start. */
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

/** The store's clock stops while the next chunk is waited for: a slow source is no failure of the store. */
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
