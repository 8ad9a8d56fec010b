import { randomUUID } from 'node:crypto'
import { demoPassword } from '../demo-users.ts'

/** Somebody who uses the host over HTTP, as any client does. */
export interface SampleClient {
  get<Answer>(path: string): Promise<Answer>
  post<Answer>(path: string, body?: object): Promise<Answer>
  draft(typeCode: string, fields: object): Promise<MadeDocument>
  /** Executes an action on a document as it is. */
  act(
    document: MadeDocument,
    actionCode: string,
    body?: { readonly payload?: object; readonly reason?: string },
  ): Promise<SampleResult>
  /** Reserves an upload, puts the bytes straight into the store, and completes it. */
  attach(target: SampleTarget, file: SampleFile): Promise<void>
}

/** A document, as much of it as one needs to act on it. */
export interface MadeDocument {
  readonly id: string
  readonly typeCode: string
  readonly number: string
  readonly payload: { readonly fields: object }
}

/** What came of an action. */
export interface SampleResult {
  readonly document: MadeDocument
  readonly createdDocument: MadeDocument | null
}

/** A business object on the wire. */
export interface SampleTarget {
  readonly kind: string
  readonly typeCode: string
  readonly id: string
}

/** A file to be attached. */
export interface SampleFile {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Buffer
}

interface Reservation {
  readonly attachment: { readonly id: string }
  readonly upload: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
  }
}

/** Signs in at the demo's identity provider and returns a client of the host. Rejects when that is another provider. */
export async function signIn(
  { url, issuer }: { readonly url: string; readonly issuer: string },
  subject: string,
): Promise<SampleClient> {
  const form = { grant_type: 'password', client_id: 'demo-cli', username: subject, password: demoPassword }
  const granted = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = await answerOf<{ access_token: string }>(granted, 'signing in')

  const send = async <Answer>(
    method: string,
    path: string,
    body?: object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const headers = {
      ...more,
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    }
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    })
    return answerOf<Answer>(response, `${method} ${path}`)
  }

  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    draft: (typeCode, fields) => send('POST', `/api/documents/${typeCode}`, { fields }),
    async act({ typeCode, id }, actionCode, body) {
      const path = `/api/documents/${typeCode}/${id}`
      const { documentVersion: expectedVersion } = await send<{ documentVersion: number }>(
        'GET',
        `${path}/editor-state`,
      )
      const key = { 'Idempotency-Key': randomUUID() }
      return send('POST', `${path}/actions/${actionCode}`, { expectedVersion, ...body }, key)
    },
    async attach(target, { fileName, contentType, bytes }) {
      const { attachment, upload } = await send<Reservation>('POST', '/api/attachments/uploads', {
        target,
        fileName,
        contentType,
        sizeBytes: bytes.length,
      })
      const { method, headers } = upload
      const stored = await fetch(upload.url, { method, headers, body: bytes })
      if (!stored.ok) throw new Error(`the store answered ${stored.status} to the upload of ${fileName}`)
      await send('POST', `/api/attachments/${attachment.id}/complete`)
    },
  }
}

async function answerOf<Answer>(response: Response, what: string): Promise<Answer> {
  if (!response.ok) throw new Error(`${what} was answered with ${response.status}`)
  return (await response.json()) as Answer
}
