/** The body of an error response (RFC 9457). Branch on `code`, which is stable. The texts can change. */
export interface ProblemDetails {
  type: string
  title: string
  status: number
  detail: string
  code: string
  context?: { [name: string]: unknown }
  errors?: { path: string; message: string }[]
  requestId: string
}
