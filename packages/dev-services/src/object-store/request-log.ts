import type { OperationCall } from './call-faults.ts'

/** The log entry of an ended request. It contains no URL, query or header, because they may contain a signature. */
export interface RequestLogEntry {
  readonly requestId: string
  readonly method: string
  /** The status that was sent. The client may have disconnected before the response arrived. */
  readonly status: number
  readonly durationMs: number
  /** The operation. Absent if the request was rejected before authentication. */
  readonly call?: OperationCall
  /** The S3 code of an error response. */
  readonly errorCode?: string
  /** An internal error of the store: the cause of an `InternalError` or of an interrupted response. */
  readonly error?: unknown
}
