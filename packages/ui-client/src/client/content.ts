import type { Attachment, Download, Upload } from '../wire/attachments.ts'
import type { AuditEvent } from '../wire/audit.ts'
import type { BusinessObjectReference, ContentSummary, Page } from '../wire/business-objects.ts'
import type { Feature } from '../wire/features.ts'
import type { Note } from '../wire/notes.ts'
import { type CallOptions, path, type Send } from './send.ts'

/** Which page of an object's list. */
export interface ListOf extends CallOptions {
  readonly target: BusinessObjectReference
  /** 1–100; 50 when absent. */
  readonly limit?: number
  /** `nextCursor` of the page before; the first page when absent. */
  readonly cursor?: string | null
}

/** What is to be uploaded. The service normalises name and type. */
export interface ReserveUpload extends CallOptions {
  readonly target: BusinessObjectReference
  readonly fileName: string
  readonly contentType: string
  readonly sizeBytes: number
}

const inQuery = ({ kind, typeCode, id }: BusinessObjectReference) => ({ kind, typeCode, objectId: id })
const pageQuery = ({ target, limit, cursor }: ListOf) => ({ ...inQuery(target), limit, cursor })

/** Calls for what is attached to business objects. */
export function contentApi(send: Send) {
  return {
    features: {
      /** Every registered feature of the deployment. */
      list: (options: CallOptions = {}) =>
        send<Feature[]>({ method: 'GET', path: '/api/features', ...options }),
    },
    businessObjects: {
      /** How many attachments and notes there are. */
      contentSummary: (target: BusinessObjectReference, options: CallOptions = {}) =>
        send<ContentSummary>({
          method: 'GET',
          path: '/api/business-objects/content-summary',
          query: inQuery(target),
          ...options,
        }),
    },
    attachments: attachmentsApi(send),
    notes: notesApi(send),
    audit: {
      /** A page of what happened to an object, newest first. */
      list: ({ signal, ...list }: ListOf) =>
        send<Page<AuditEvent>>({ method: 'GET', path: '/api/audit/events', query: pageQuery(list), signal }),
    },
  }
}

function attachmentsApi(send: Send) {
  return {
    /** A page of the files that are ready, newest first. */
    list: ({ signal, ...list }: ListOf) =>
      send<Page<Attachment>>({ method: 'GET', path: '/api/attachments', query: pageQuery(list), signal }),
    /** Reserves an upload. Not retried: a lost answer is a reservation that expires by itself. */
    reserve: ({ signal, ...body }: ReserveUpload) =>
      send<Upload>({ method: 'POST', path: '/api/attachments/uploads', body, signal }),
    /** Has the service verify and seal what was uploaded. */
    complete: (id: string, options: CallOptions = {}) =>
      send<Attachment>({
        method: 'POST',
        path: path`/api/attachments/${id}/complete`,
        isRepeatable: true,
        ...options,
      }),
    /** A URL to fetch the bytes from, for a short time. */
    download: (id: string, options: CallOptions = {}) =>
      send<Download>({
        method: 'POST',
        path: path`/api/attachments/${id}/download`,
        isRepeatable: true,
        ...options,
      }),
    /** The same for whoever reads the audit timeline: deleted files too. */
    auditDownload: (id: string, options: CallOptions = {}) =>
      send<Download>({
        method: 'POST',
        path: path`/api/attachments/${id}/audit-download`,
        isRepeatable: true,
        ...options,
      }),
    /** Marks for deletion. */
    delete: (id: string, options: CallOptions = {}) =>
      send<void>({ method: 'DELETE', path: path`/api/attachments/${id}`, isRepeatable: true, ...options }),
  }
}

function notesApi(send: Send) {
  return {
    /** A page of notes, newest first. */
    list: ({ signal, ...list }: ListOf) =>
      send<Page<Note>>({ method: 'GET', path: '/api/notes', query: pageQuery(list), signal }),
    /** Adds a note. Not retried: it would be there twice. */
    create: ({ signal, ...body }: CallOptions & { target: BusinessObjectReference; text: string }) =>
      send<Note>({ method: 'POST', path: '/api/notes', body, signal }),
    /** Edits the note as it was at `version`. Not retried: a repeat after a lost answer would look like a conflict. */
    update: ({ signal, id, ...body }: CallOptions & { id: string; text: string; version: number }) =>
      send<Note>({ method: 'PUT', path: path`/api/notes/${id}`, body, signal }),
    /** Deletes the note as it was at `version`. */
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
