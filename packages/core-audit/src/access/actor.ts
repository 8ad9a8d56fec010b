/** The author of a change, as recorded in audit events and rows. */
export interface Actor {
  readonly userId: string
  readonly displayName: string
  /** The id of the request. */
  readonly correlationId: string
}
