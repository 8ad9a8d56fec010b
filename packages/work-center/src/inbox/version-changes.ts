/** Who sees something else than before, and which source they must be able to view for it to be so. */
export interface SeenChange {
  readonly userId: string
  /** `<resourceKind>.<resourceCode>.view`; `null` for who is known to see it, such as the author of the change. */
  readonly viewPermission: string | null
}

/** New versions by user: what is announced once the transaction that made them has committed. */
export type VersionChanges = ReadonlyMap<string, number>

/**
 * Tells open pages of users that their versions have grown. Called once what raised them has committed; does not throw,
 * and nobody waits for it.
 */
export type AnnounceChanges = (changes: VersionChanges) => void
