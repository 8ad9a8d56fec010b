import { S3Client } from '@aws-sdk/client-s3'
import type { StorageConfig } from '../config.ts'

export interface S3ClientOptions {
  readonly endpoint: string
  /** The maximum number of attempts per call, including the first. One deadline applies to all attempts together. */
  readonly maxAttempts: number
  /** Returns the date for signatures, in milliseconds since 1970. */
  readonly signingNow: () => number
}

/**
 * Creates a client for one endpoint. The function sets every option that affects where or how requests are sent, so the
 * SDK does not read these options from the environment or from an AWS profile.
 */
export function createS3Client(config: StorageConfig, options: S3ClientOptions): S3Client {
  const client = new S3Client({
    endpoint: options.endpoint,
    region: config.region,
    credentials: { accessKeyId: config.accessKey, secretAccessKey: config.secretKey },
    // Self-hosted stores rarely have a host name for each bucket, and the signed host must be the configured host.
    forcePathStyle: true,
    // By default, an upload URL contains the checksum of an empty body, so every upload of a real file would fail.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: options.maxAttempts,
    // A slow copy holds its connection, and the deadline of a call also counts the time in which it waits for one.
    requestHandler: { httpAgent: { maxSockets }, httpsAgent: { maxSockets } },
    retryMode: 'standard',
    defaultsMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    followRegionRedirects: false,
    // A store that never answers 100 would cost 6 s before the first byte of each larger file.
    expectContinueHeader: false,
    disableS3ExpressSessionAuth: true,
    // Without a logger, the SDK writes to the console when a streamed upload fails.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  })
  // The SDK adds this offset to the host's clock. After each response, it replaces the offset, but a step of the host's
  // clock would invalidate that value.
  client.middlewareStack.add(
    (next) => (args) => {
      client.config.systemClockOffset = options.signingNow() - Date.now()
      return next(args)
    },
    { step: 'initialize', name: 'vertical-kit.signing-clock' },
  )
  endWithSignal(client)
  return client
}

/**
 * Ends each request with its signal. Node ends a request without an event for the SDK if the store switches to another protocol
 * (101), and from then on the SDK ignores the signal: the call would never settle, and its lease would be renewed permanently.
 */
function endWithSignal({ config: { requestHandler } }: S3Client): void {
  const handle = requestHandler.handle.bind(requestHandler)
  requestHandler.handle = (request, options) => {
    const signal = options && 'abortSignal' in options ? options.abortSignal : undefined
    if (!(signal instanceof AbortSignal)) return handle(request, options)
    return new Promise((resolve, reject) => {
      // The name that the SDK gives to this error. It does not try again after it.
      const abort = () => reject(Object.assign(new Error('The request was aborted'), { name: 'AbortError' }))
      signal.addEventListener('abort', abort, { once: true })
      const ended = () => signal.removeEventListener('abort', abort)
      handle(request, options).then(resolve, reject).finally(ended)
    })
  }
}

/** The default of the SDK is 50: that many slow copies would fail all other calls of the host. */
const maxSockets = 1_000

const ignore = (): void => {}
