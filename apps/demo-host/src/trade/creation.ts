import { createHash } from 'node:crypto'
import type { Actor } from '@vertical-kit/core-audit/access'

/** Identifies a creation that a client can repeat, for example after a lost response. */
export interface Creation {
  /** A UUID in the column `creation_key`. The same key of another user or for another type is another UUID. */
  readonly key: string
  /** The hash of the content. A repetition must have the same content. */
  readonly fingerprint: string
}

/** The creation of a request with the key of a client. `content` is parsed, so its properties have a fixed order. */
export interface CreationRequest {
  readonly actor: Actor
  readonly typeCode: string
  /** Absent if the client cannot repeat the creation. */
  readonly creationKey?: string | undefined
  readonly content: unknown
}

/** Returns the creation of a request; null if the request has no key. */
export function creationOf({ actor, typeCode, creationKey, content }: CreationRequest): Creation | null {
  if (creationKey === undefined) return null
  const hash = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')
  return { key: hash([actor.userId, typeCode, creationKey]).slice(0, 32), fingerprint: hash(content) }
}

/** Another request with the same key has created the object. The transaction of this request must be rolled back. */
export class RepeatedCreation extends Error {
  readonly creation: Creation

  constructor(creation: Creation) {
    super('A creation with this key exists')
    this.creation = creation
  }
}
