/** The author of a change. Audit events and changed rows contain the author. */
export interface Actor {
  readonly userId: string
  readonly displayName: string
  /** The id of the request that makes the change. */
  readonly correlationId: string
}
