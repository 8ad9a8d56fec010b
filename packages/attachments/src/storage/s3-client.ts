import { S3Client } from '@aws-sdk/client-s3'
import type { StorageConfig } from '../config.ts'

export interface S3ClientOptions {
  readonly endpoint: string
  /** Of one call, the first included. All of them share the call's deadline. */
  readonly maxAttempts: number
}

/**
 * A client for one endpoint. Nothing is taken from the machine it runs on: every setting the SDK would otherwise look
 * up in the environment or in a profile, and that changes where or how a request goes, is given here.
 */
export function createS3Client(config: StorageConfig, options: S3ClientOptions): S3Client {
  return new S3Client({
    endpoint: options.endpoint,
    region: config.region,
    credentials: { accessKeyId: config.accessKey, secretAccessKey: config.secretKey },
    // The signed host is the one configured, and self-hosted stores seldom have a name for each bucket.
    forcePathStyle: true,
    // By default the SDK signs the checksum of an empty body into upload URLs, which no upload could match.
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
