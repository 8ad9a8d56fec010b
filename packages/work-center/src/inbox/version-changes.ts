/** Users that a change concerns, and the permission that they and their substitutes need to see the change. */
export interface SeenChange {
  /** The ids, separated by commas. The text of thousands of ids is not taken apart between two statements. */
  readonly userIds: string
  /**
   * `<resourceKind>.<resourceCode>.view`. `null` if exactly these users see the change: their rights are not checked, and their
   * substitutes do not see it.
   */
  readonly viewPermission: string | null
  /** True for notifications: the substitutes of these users do not see them. */
  readonly isPrivate?: boolean
}

/** New versions by user id. Announce them only after their transaction has committed. */
export type VersionChanges = ReadonlyMap<string, number>

/**
 * Notifies open pages that the versions of their users have grown. Call it after the transaction that raised the versions
 * has committed. It does not throw, and it returns before the pages are notified.
 */
export type AnnounceChanges = (changes: VersionChanges) => void
