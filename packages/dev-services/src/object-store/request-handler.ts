import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OperationCall } from './call-faults.ts'
import type { Cors } from './cors.ts'
import { S3Error } from './errors.ts'
import type { FaultSwitchboard } from './faults.ts'
import type { OperationContext } from './operations/context.ts'
import {
  completeMultipartUpload,
  createMultipartUpload,
  listParts,
  uploadPart,
} from './operations/multipart-upload.ts'
import { getBucketLocation, headBucket, listObjects } from './operations/read-bucket.ts'
import { readObject } from './operations/read-object.ts'
import { copyObject, putObject } from './operations/write-object.ts'
import { requireEmptyBody } from './payload.ts'
import { type Reply, sendReply } from './reply.ts'
import { parseRequest, type S3Request } from './request.ts'
import type { RequestLogEntry } from './request-log.ts'
import { type Operation, routeOf } from './routing.ts'
import type { VerifySignature } from './signature.ts'
import { errorReply } from './xml.ts'

export interface RequestHandlerOptions {
  readonly context: OperationContext
  readonly verify: VerifySignature
  readonly faults: FaultSwitchboard
  readonly cors: Cors
  readonly clock: () => Date
  readonly log: (entry: RequestLogEntry) => void
}

export interface RequestHandler {
  handle(message: IncomingMessage, response: ServerResponse): void
  /** Resolves when all requests received so far have ended, successfully or not. */
  settled(): Promise<void>
}

interface Outcome {
  readonly reply: Reply
  readonly call?: OperationCall
  readonly errorCode?: string
  readonly error?: unknown
}

type Perform = (context: OperationContext, request: S3Request) => Promise<Reply>

const operations: Record<Operation, Perform> = {
  GetObject: withoutBody(readObject),
  HeadObject: withoutBody(readObject),
  PutObject: putObject,
  CopyObject: withoutBody(copyObject),
  CreateMultipartUpload: withoutBody(createMultipartUpload),
  UploadPart: uploadPart,
  ListParts: withoutBody(listParts),
  CompleteMultipartUpload: completeMultipartUpload,
  HeadBucket: withoutBody(headBucket),
  GetBucketLocation: withoutBody(getBucketLocation),
  ListObjectsV2: withoutBody(listObjects),
}

/** Creates the handler of all requests: parse → verify → route → apply faults → run → respond → log. */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const inFlight = new Set<Promise<void>>()

  const serve = async (message: IncomingMessage, response: ServerResponse) => {
    const startedAtMs = performance.now()
    const requestId = randomUUID()
    const commonHeaders = {
      ...(message.method !== 'OPTIONS' && options.cors.headersFor(message.headers.origin)),
      Date: options.clock().toUTCString(),
      'x-amz-request-id': requestId,
    }
    response.setHeaders(new Map(Object.entries(commonHeaders)))
    const { reply, ...outcome } = await decide(options, message, requestId)
    const broken = await sendReply(response, reply).then(() => ({}), describeBreak)
    const durationMs = performance.now() - startedAtMs
    options.log({
      requestId,
      method: message.method ?? '',
      status: reply.status,
      durationMs,
      ...outcome,
      ...broken,
    })
  }

  return {
    handle(message, response) {
      const served = serve(message, response).finally(() => inFlight.delete(served))
      inFlight.add(served)
    },
    async settled() {
      await Promise.allSettled(inFlight)
    },
  }
}

async function decide(
  options: RequestHandlerOptions,
  message: IncomingMessage,
  requestId: string,
): Promise<Outcome> {
  let known: Pick<Outcome, 'call'> = {}
  try {
    const request = parseRequest(message)
    if (request.method === 'OPTIONS') return { reply: options.cors.preflight(request.headers) }
    await options.verify(request)
    const operation = routeOf(request)
    const call = { operation, bucket: request.bucket, key: request.key }
    known = { call }
    await options.faults.meet(call)
    return { ...known, reply: await operations[operation](options.context, request) }
  } catch (error) {
    const [resource = ''] = (message.url ?? '').split('?')
    const refusal = error instanceof S3Error ? error : internalError()
    const reply = errorReply({ error: refusal, requestId, resource })
    return { ...known, reply, errorCode: refusal.code, ...(error !== refusal && { error }) }
  }
}

function internalError(): S3Error {
  return new S3Error('InternalError', 'We encountered an internal error. Please try again.')
}

function withoutBody(perform: Perform): Perform {
  return async (context, request) => {
    requireEmptyBody(request)
    return perform(context, request)
  }
}

/** Ignores disconnected clients and returns every other error for the log. */
function describeBreak(error: unknown): Pick<Outcome, 'error'> {
  const isClientGone = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
  return isClientGone ? {} : { error }
}
