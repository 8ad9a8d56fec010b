/**
 * Identifies a seal, and through its hash all seals and events before it. Published outside the database, it shows if the
 * seals were later replaced or removed.
 */
export interface AuditAnchor {
  /** The number of the seal. */
  readonly sequence: number
  /** The hash of the seal: 64 lower-case hexadecimal digits. */
  readonly hash: string
}

/** Formats an anchor as text, such as `12:9f86d0…`: for a log, an object in a bucket or a letter. */
export const formatAnchor = ({ sequence, hash }: AuditAnchor): string => `${sequence}:${hash}`

/** Returns the anchors in a text, such as a line of a log. */
export const findAnchors = (text: string): readonly AuditAnchor[] =>
  [...text.matchAll(/\b([1-9]\d{0,14}):([0-9a-f]{64})\b/g)].map(([, sequence, hash = '']) => ({
    sequence: Number(sequence),
    hash,
  }))
