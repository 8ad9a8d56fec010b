import type { Body } from './answers.ts'
import { expectAnswer } from './answers.ts'
import type { Request } from './demo-process.ts'

/** The reference to the object that an attachment belongs to. */
export interface Target {
  readonly kind: string
  readonly typeCode: string
  readonly id: string
}

/** Returns the query string that identifies a target. */
export const targetQuery = ({ kind, typeCode, id }: Target): string =>
  new URLSearchParams({ kind, typeCode, objectId: id }).toString()

/** The request that uploads the bytes of a reserved upload: method, URL and headers. */
export interface PresignedUpload {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly expiresAtUtc: string
}

/** A file that tests upload. */
export interface TestFile {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Buffer
}

/** Reserves an upload and returns the attachment and the upload request. */
export async function reserve(
  request: Request,
  target: Target,
  { fileName, contentType, bytes }: TestFile,
): Promise<{ readonly attachment: Body; readonly upload: PresignedUpload }> {
  const body = { target, fileName, contentType, sizeBytes: bytes.length }
  const reserved = await expectAnswer(request('POST', '/api/attachments/uploads', { body }), 201)
  return { attachment: reserved['attachment'] as Body, upload: reserved['upload'] as PresignedUpload }
}

/** Sends the bytes directly to the store with the headers of the reservation. Returns the status. */
export async function put(upload: PresignedUpload, bytes: Buffer): Promise<number> {
  return (
    await fetch(upload.url, { method: upload.method, headers: upload.headers, body: new Uint8Array(bytes) })
  ).status
}

/** Reserves, sends and completes an upload. Returns the ready attachment. */
export async function attach(request: Request, target: Target, file: TestFile): Promise<Body> {
  const { attachment, upload } = await reserve(request, target, file)
  const status = await put(upload, file.bytes)
  if (status !== 200) throw new Error(`The store returned ${status}`)
  return expectAnswer(request('POST', `/api/attachments/${attachment.id}/complete`), 200)
}

/** Requests a signed URL at the path and returns the response of the store. */
export async function download(request: Request, path: string): Promise<Response> {
  const { url } = await expectAnswer(request('POST', path), 200)
  return fetch(String(url))
}
