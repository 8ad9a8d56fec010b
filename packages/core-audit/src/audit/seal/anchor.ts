/**
 * Identifies a seal, and through its hash all seals and events before it. Published outside the database, it shows if the
 * seals were later replaced or removed.
 */
export interface AuditAnchor {
  /** The number of the seal. */
  readonly sequence: number
  /** The hash of the seal: 64 lower-case hexadecimal digits. */
  readonly hash: string
  /** Both as text, such as `12:9f86d0…`, which `audit verify` finds in any file. */
  readonly text: string
}

/** Returns the anchor of a seal. */
export const anchorOf = ({ sequence, hash }: Omit<AuditAnchor, 'text'>): AuditAnchor => ({
  ...{ sequence, hash },
  text: `${sequence}:${hash}`,
})

/** Returns the anchors in a text, such as a line of a log. */
export const findAnchors = (text: string): readonly AuditAnchor[] =>
  [...text.matchAll(/\b([1-9]\d{0,14}):([0-9a-f]{64})\b/g)].map(([, sequence, hash = '']) =>
    anchorOf({ sequence: Number(sequence), hash }),
  )
