import { randomUUID } from 'node:crypto'
import { demoPassword } from '../demo-users.ts'

/** A signed-in HTTP client of the host. */
export interface SampleClient {
  get<Answer>(path: string): Promise<Answer>
  post<Answer>(path: string, body?: object): Promise<Answer>
  draft(typeCode: string, fields: object): Promise<MadeDocument>
  /** Executes an action on the current version of a document. */
  act(
    document: MadeDocument,
    actionCode: string,
    body?: { readonly payload?: object; readonly reason?: string },
  ): Promise<SampleResult>
  /** Reserves an upload, sends the bytes directly to the store, and completes the upload. */
  attach(target: SampleTarget, file: SampleFile): Promise<void>
}

/** The properties of a document that the client needs to execute an action. */
export interface MadeDocument {
  readonly id: string
  readonly typeCode: string
  readonly number: string
  readonly payload: { readonly fields: object }
}

/** The result of an action. */
export interface SampleResult {
  readonly document: MadeDocument
  readonly createdDocument: MadeDocument | null
}

export interface SampleTarget {
  readonly kind: string
  readonly typeCode: string
  readonly id: string
}

/** A file to attach. */
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

/** The host and the identity provider that are used to create sample data. */
export interface SampleHost {
  readonly url: string
  readonly issuer: string
  /** The maximum time for a sign-in, and for the upload of one file to the store. */
  readonly limitMs: number
}

/** Signs a demo user in and returns a client of the host. Rejects if the issuer is not the demo's provider. */
export async function signIn({ url, issuer, limitMs }: SampleHost, subject: string): Promise<SampleClient> {
  const form = { grant_type: 'password', client_id: 'demo-cli', username: subject, password: demoPassword }
  const granted = await answerWithin(limitMs, 'the identity provider', (signal) =>
    fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form), signal }),
  )
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
      const stored = await answerWithin(limitMs, 'the store', (signal) =>
        fetch(upload.url, { method, headers, body: bytes, signal }),
      )
      if (!stored.ok) throw new Error(`the store returned ${stored.status} for the upload of ${fileName}`)
      await send('POST', `/api/attachments/${attachment.id}/complete`)
    },
  }
}

/** Sends a request and waits for the response, at most `limitMs`. The error message contains the name of the server. */
async function answerWithin(
  limitMs: number,
  server: string,
  request: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const signal = AbortSignal.timeout(limitMs)
  try {
    return await request(signal)
  } catch (error) {
    const reason = signal.aborted ? `did not answer within ${limitMs / 1_000} s` : 'cannot be reached'
    throw new Error(`${server} ${reason}`, { cause: error })
  }
}

async function answerOf<Answer>(response: Response, what: string): Promise<Answer> {
  if (!response.ok) throw new Error(`${what} failed with status ${response.status}`)
  return (await response.json()) as Answer
}
