/** The author of a change, as audit events and rows record it. */
export interface Actor {
  readonly userId: string
  readonly displayName: string
  /** The id of the request. */
  readonly correlationId: string
}
