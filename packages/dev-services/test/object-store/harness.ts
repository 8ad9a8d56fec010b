import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { S3Client, type S3ClientConfig, S3ServiceException } from '@aws-sdk/client-s3'
import { onTestFinished } from 'vitest'
import {
  type ObjectStore,
  type ObjectStoreOptions,
  startObjectStore,
} from '../../src/object-store/object-store.ts'

export const bucket = 'test-bucket'
export const credentials = { accessKeyId: 'test-key', secretAccessKey: 'test-secret-key' }

/** Starts a store with a client for the current test and closes both after it. */
export async function openStore(options: Partial<ObjectStoreOptions> = {}) {
  const directory = options.directory ?? (await temporaryDirectory())
  const store = await startObjectStore({
    directory,
    buckets: [bucket],
    credentials: [credentials],
    ...options,
  })
  onTestFinished(() => store.close())
  return { store, directory, client: clientOf(store) }
}

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'object-store-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Creates a client without retries, so the test sees every response of the store. */
export function clientOf(store: Pick<ObjectStore, 'url'>, config: S3ClientConfig = {}): S3Client {
  const client = new S3Client({
    endpoint: store.url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...config,
  })
  onTestFinished(() => client.destroy())
  return client
}

export interface SignedRequest {
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
}

/** Creates a client that changes its requests after signing. */
export function tamperingClientOf(store: ObjectStore, tamper: (request: SignedRequest) => void): S3Client {
  const client = clientOf(store)
  client.middlewareStack.add(
    (next) => (args) => {
      tamper(args.request as SignedRequest)
      return next(args)
    },
    { step: 'deserialize', priority: 'low' },
  )
  return client
}

/** Returns the error code, such as `NoSuchKey`. Errors of HEAD have only a status. Fails if the call succeeds. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => new Error('The call did not fail.'),
    (reason: unknown) => reason,
  )
  if (error instanceof S3ServiceException) return error.name
  throw error
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends a request exactly as given. Does not normalise the path, add headers or retry. */
export async function send(
  url: string,
  options: RequestOptions & { body?: string } = {},
): Promise<RawAnswer> {
  const { body, ...rest } = options
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  request(url, { agent: false, ...rest }, (response) => {
    text(response).then(
      (content) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: content }),
      reject,
    )
  })
    .on('error', reject)
    .end(body)
  return promise
}

/** Returns the `<Code>` of an error document. */
export function codeOf({ body }: RawAnswer): string | undefined {
  return /<Code>(.*)<\/Code>/.exec(body)?.[1]
}

/** Creates a clock that changes only when the test moves it. */
export function createClock(start = new Date()) {
  let nowMs = start.getTime()
  return {
    read: () => new Date(nowMs),
    advance: (seconds: number) => {
      nowMs += seconds * 1000
    },
  }
}
