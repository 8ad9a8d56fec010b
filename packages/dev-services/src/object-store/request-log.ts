import type { OperationCall } from './call-faults.ts'

/** One request, once it has ended. It holds no URL, query or header: those may carry a signature. */
export interface RequestLogEntry {
  readonly requestId: string
  readonly method: string
  /** What was answered; the client may have gone away before it arrived. */
  readonly status: number
  readonly durationMs: number
  /** Absent when the request was refused before it was authenticated. */
  readonly call?: OperationCall
  /** The S3 code of a refusal. */
  readonly errorCode?: string
  /** A failure of the store itself: the cause of an `InternalError`, or of an answer that broke off. */
  readonly error?: unknown
}
