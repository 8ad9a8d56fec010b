import type { Attachment, Download, Upload } from '../wire/attachments.ts'
import type { AuditEvent } from '../wire/audit.ts'
import type { BusinessObjectReference, ContentSummary, Page } from '../wire/business-objects.ts'
import type { Feature } from '../wire/features.ts'
import type { Note } from '../wire/notes.ts'
import { type CallOptions, path, type Send } from './send.ts'

/** Selects a page of an object's list. */
export interface ListOf extends CallOptions {
  readonly target: BusinessObjectReference
  /** 1–100; 50 when absent. */
  readonly limit?: number
  /** `nextCursor` of the previous page; the first page when absent. */
  readonly cursor?: string | null
}

/** The file to upload. The service normalises its name and content type. */
export interface ReserveUpload extends CallOptions {
  readonly target: BusinessObjectReference
  readonly fileName: string
  readonly contentType: string
  readonly sizeBytes: number
}

const inQuery = ({ kind, typeCode, id }: BusinessObjectReference) => ({ kind, typeCode, objectId: id })
const pageQuery = ({ target, limit, cursor }: ListOf) => ({ ...inQuery(target), limit, cursor })

/** Calls for features and for the content of business objects: attachments, notes and audit events. */
export function contentApi(send: Send) {
  return {
    features: {
      /** Resolves with every registered feature of the deployment. */
      list: (options: CallOptions = {}) =>
        send<Feature[]>({ method: 'GET', path: '/api/features', ...options }),
    },
    businessObjects: {
      /** Resolves with the numbers of attachments and notes. */
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
      /** Resolves with a page of an object's audit events, newest first. */
      list: ({ signal, ...list }: ListOf) =>
        send<Page<AuditEvent>>({ method: 'GET', path: '/api/audit/events', query: pageQuery(list), signal }),
    },
  }
}

function attachmentsApi(send: Send) {
  return {
    /** Resolves with a page of the ready files, newest first. */
    list: ({ signal, ...list }: ListOf) =>
      send<Page<Attachment>>({ method: 'GET', path: '/api/attachments', query: pageQuery(list), signal }),
    /** Reserves an upload. Not retried: the reservation of a lost answer expires automatically. */
    reserve: ({ signal, ...body }: ReserveUpload) =>
      send<Upload>({ method: 'POST', path: '/api/attachments/uploads', body, signal }),
    /** Makes the service verify and seal the uploaded bytes. */
    complete: (id: string, options: CallOptions = {}) =>
      send<Attachment>({
        method: 'POST',
        path: path`/api/attachments/${id}/complete`,
        isRepeatable: true,
        ...options,
      }),
    /** Resolves with a short-lived URL of the bytes. */
    download: (id: string, options: CallOptions = {}) =>
      send<Download>({
        method: 'POST',
        path: path`/api/attachments/${id}/download`,
        isRepeatable: true,
        ...options,
      }),
    /** Resolves with a short-lived URL for readers of the audit timeline. Includes deleted files. */
    auditDownload: (id: string, options: CallOptions = {}) =>
      send<Download>({
        method: 'POST',
        path: path`/api/attachments/${id}/audit-download`,
        isRepeatable: true,
        ...options,
      }),
    /** Marks the file for deletion. */
    delete: (id: string, options: CallOptions = {}) =>
      send<void>({ method: 'DELETE', path: path`/api/attachments/${id}`, isRepeatable: true, ...options }),
  }
}

function notesApi(send: Send) {
  return {
    /** Resolves with a page of notes, newest first. */
    list: ({ signal, ...list }: ListOf) =>
      send<Page<Note>>({ method: 'GET', path: '/api/notes', query: pageQuery(list), signal }),
    /** Adds a note. Not retried: a repeat after a lost answer would add a second note. */
    create: ({ signal, ...body }: CallOptions & { target: BusinessObjectReference; text: string }) =>
      send<Note>({ method: 'POST', path: '/api/notes', body, signal }),
    /** Edits `version` of the note. Not retried: a repeat after a lost answer would look like a conflict. */
    update: ({ signal, id, ...body }: CallOptions & { id: string; text: string; version: number }) =>
      send<Note>({ method: 'PUT', path: path`/api/notes/${id}`, body, signal }),
    /** Deletes `version` of the note. */
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
