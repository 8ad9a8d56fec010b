/** A user that sees a change, and the permission they need to see it. */
export interface SeenChange {
  readonly userId: string
  /** `<resourceKind>.<resourceCode>.view`; `null` when the user is known to see it, such as the change's own actor. */
  readonly viewPermission: string | null
}

/** New versions by user id, to announce after their transaction has committed. */
export type VersionChanges = ReadonlyMap<string, number>

/**
 * Notifies open pages of users that their versions have grown. Call it after the commit that raised them; it does not
 * throw, and it returns before the pages are notified.
 */
export type AnnounceChanges = (changes: VersionChanges) => void
