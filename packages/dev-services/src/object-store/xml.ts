import { XMLBuilder } from 'fast-xml-parser'
import type { S3Error } from './errors.ts'
import type { StoredObject } from './object-file.ts'
import type { Reply } from './reply.ts'

const builder = new XMLBuilder({ ignoreAttributes: false })
const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** Creates a result document of the S3 API. */
export function xmlReply(root: string, content: object): Reply {
  return document(200, { [root]: { '@_xmlns': namespace, ...content } })
}

export interface FailedRequest {
  readonly error: S3Error
  readonly requestId: string
  /** The path without the query, because the query may contain a signature. */
  readonly resource: string
}

/** Creates an error document. In S3, error documents have no namespace. */
export function errorReply({ error, requestId, resource }: FailedRequest): Reply {
  const body = { Code: error.code, Message: error.message, Resource: resource, RequestId: requestId }
  const reply = document(error.status, { Error: body })
  return { ...reply, headers: { ...reply.headers, ...error.headers } }
}

/** Returns the list entry of an object. */
export function listEntry(object: StoredObject) {
  return {
    Key: object.key,
    LastModified: object.lastModifiedAtUtc,
    ETag: `"${object.etag}"`,
    Size: object.sizeBytes,
    StorageClass: 'STANDARD',
  }
}

function document(status: number, content: object): Reply {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(content)}`
  return { status, headers: { 'Content-Type': 'application/xml' }, body }
}
