import { S3Client } from '@aws-sdk/client-s3'
import type { StorageConfig } from '../config.ts'

export interface S3ClientOptions {
  readonly endpoint: string
  /** The maximum attempts per call, including the first. They share the deadline of the call. */
  readonly maxAttempts: number
}

/**
 * Creates a client for one endpoint. It passes every setting that affects where or how requests are sent, so the SDK
 * does not read these settings from the environment or from a profile of the machine.
 */
export function createS3Client(config: StorageConfig, options: S3ClientOptions): S3Client {
  return new S3Client({
    endpoint: options.endpoint,
    region: config.region,
    credentials: { accessKeyId: config.accessKey, secretAccessKey: config.secretKey },
    // The configured host must be the signed host, and self-hosted stores rarely have a host name for each bucket.
    forcePathStyle: true,
    // By default, the SDK signs the checksum of an empty body into upload URLs, so every real upload would fail.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: options.maxAttempts,
    retryMode: 'standard',
    defaultsMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    followRegionRedirects: false,
    disableS3ExpressSessionAuth: true,
    // Without a logger, the SDK writes to the console when a streamed upload fails.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  })
}

const ignore = (): void => {}
