/** An error body (RFC 9457). `code` is stable: branch on it, not on the texts. */
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
