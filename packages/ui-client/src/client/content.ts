import type {
  Attachment,
  Download,
  MultipartUpload,
  PresignedParts,
  PresignedUpload,
  Upload,
  UploadedParts,
} from '../wire/attachments.ts'
import type { BusinessObjectReference, Page } from '../wire/business-objects.ts'
import type { Feature } from '../wire/features.ts'
import type { MentionableUsers, Note } from '../wire/notes.ts'
import type { Get } from './get.ts'
import { inQuery, type ListOf, pageQuery } from './history.ts'
import { type CallOptions, type KitRequest, path, type Send } from './send.ts'

/** The file to upload. The service normalises the file's name and content type. */
export interface ReserveUpload<Multipart extends boolean = boolean> extends CallOptions {
  readonly target: BusinessObjectReference
  readonly fileName: string
  readonly contentType: string
  readonly sizeBytes: number
  /** The SHA-256 of the bytes in base64. With it, a store that verifies checksums accepts no other bytes. */
  readonly sha256?: string
  /** Whether the bytes are sent in parts (see `signParts`) instead of in one request. Default: false. */
  readonly multipart?: Multipart
}

/** The parts of an upload that will be sent next: 1 to 100 part numbers. */
export interface SignParts extends CallOptions {
  /** The id of the reserved attachment. */
  readonly id: string
  readonly partNumbers: readonly number[]
}

/** Calls for features and for the content of business objects: attachments and notes. */
export function contentApi(send: Send, get: Get) {
  return {
    features: {
      /** Resolves with every registered feature of the deployment. */
      list: (options: CallOptions = {}) => get<Feature[]>('/api/features', options),
    },
    attachments: attachmentsApi(send, get),
    notes: notesApi(send, get),
  }
}

function attachmentsApi(send: Send, get: Get) {
  const post = <T>(id: string, operation: string, options: Pick<KitRequest, 'body' | 'signal'> = {}) =>
    send<T>({
      method: 'POST',
      path: path`/api/attachments/${id}/${operation}`,
      isRepeatable: true,
      ...options,
    })
  return {
    /** Resolves with a page of an object's ready files, newest first. */
    list: (list: ListOf) => get<Page<Attachment>>('/api/attachments', pageQuery(list)),
    /** Reserves an upload. The call is not retried. If its response is lost, the reservation expires automatically. */
    reserve: <Multipart extends boolean = false>({ signal, ...body }: ReserveUpload<Multipart>) =>
      send<Upload<Multipart extends true ? MultipartUpload : PresignedUpload>>({
        method: 'POST',
        path: '/api/attachments/uploads',
        body,
        signal,
      }),
    /** Resolves with the destinations of parts, which are valid for some minutes. A part can be signed and sent again. */
    signParts: ({ id, partNumbers, signal }: SignParts) =>
      post<PresignedParts>(id, 'parts', { body: { partNumbers }, signal }),
    /** Resolves with the parts of a multipart upload that the object store has received. */
    listParts: (id: string, options: CallOptions = {}) =>
      get<UploadedParts>(path`/api/attachments/${id}/parts`, options),
    /**
     * Makes the service verify the uploaded bytes and seal them. Joins the parts of a multipart upload. If the service scans files
     * for malware, resolves with a `scanning` file. Then repeat the call until the file is `ready`, or the call rejects with
     * `attachments.quarantined`.
     */
    complete: (id: string, options?: CallOptions) => post<Attachment>(id, 'complete', options),
    /** Resolves with a short-lived URL from which the file can be downloaded. */
    download: (id: string, options?: CallOptions) => post<Download>(id, 'download', options),
    /** Resolves with a short-lived URL, even for a deleted file. The caller needs permission to read the audit timeline. */
    auditDownload: (id: string, options?: CallOptions) => post<Download>(id, 'audit-download', options),
    /** Marks the file as deleted. With `unlessReady`, a ready file stays as it is. */
    delete: (id: string, { signal, ...query }: CallOptions & { readonly unlessReady?: boolean } = {}) =>
      send<void>({ method: 'DELETE', path: path`/api/attachments/${id}`, query, isRepeatable: true, signal }),
  }
}

function notesApi(send: Send, get: Get) {
  return {
    /** Resolves with a page of an object's notes, newest first. */
    list: (list: ListOf) => get<Page<Note>>('/api/notes', pageQuery(list)),
    /** Resolves with at most 20 users that a note on the object can mention. `q` is a part of their names. */
    mentionable: ({ target, ...search }: CallOptions & { target: BusinessObjectReference; q?: string }) =>
      get<MentionableUsers>('/api/notes/mentionable', { ...inQuery(target), ...search }),
    /** Adds a note. The call is not retried, because a retry after a lost response would add a second note. */
    create: ({ signal, ...body }: CallOptions & { target: BusinessObjectReference; text: string }) =>
      send<Note>({ method: 'POST', path: '/api/notes', body, signal }),
    /** Edits this `version` of the note. The call is not retried: after a lost response, a retry would be a conflict. */
    update: ({ signal, id, ...body }: CallOptions & { id: string; text: string; version: number }) =>
      send<Note>({ method: 'PUT', path: path`/api/notes/${id}`, body, signal }),
    /** Deletes this `version` of the note. */
    delete: ({ signal, id, version }: CallOptions & { id: string; version: number }) =>
      send<Note>({
        method: 'DELETE',
        path: path`/api/notes/${id}`,
        query: { version },
        isRepeatable: true,
        signal,
      }),
  }
}
