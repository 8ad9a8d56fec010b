import { isUuid } from '@vertical-kit/core-audit/contract'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { isObjectKey } from './contract.ts'
import type { ObjectChanges } from './object-key.ts'

/** PostgreSQL limits payloads to less than 8,000 bytes. */
const maxPayloadBytes = 7_999

/** The changes that replicas announce to each other. */
export interface Announced {
  readonly versions: VersionChanges
  readonly objects: ObjectChanges
}

/**
 * Encodes versions by user id, and a 1 by the key of each object, as JSON objects in ASCII. Each fits into the payload of one
 * NOTIFY.
 */
export function encodeAnnouncements({ versions, objects }: Announced): readonly string[] {
  const payloads: string[] = []
  let entries = ''
  for (const [key, number] of [...versions, ...[...objects].map((object) => [object, 1] as const)]) {
    const entry = `"${key}":${number}`
    if (entries.length + entry.length + 3 > maxPayloadBytes) {
      payloads.push(`{${entries}}`)
      entries = ''
    }
    entries += entries === '' ? entry : `,${entry}`
  }
  if (entries !== '') payloads.push(`{${entries}}`)
  return payloads
}

/**
 * Decodes a payload of {@link encodeAnnouncements}. Returns `undefined` for other payloads, which any client can send. A loop is
 * faster than a schema, and every replica decodes the announcements of all writes.
 */
export function decodeAnnouncement(payload: string): Announced | undefined {
  const versions = new Map<string, number>()
  const objects = new Set<string>()
  const announced = parseObject(payload)
  if (announced === undefined) return undefined
  for (const [key, number] of Object.entries(announced)) {
    if (!Number.isSafeInteger(number) || Number(number) < 0) return undefined
    if (isUuid(key)) versions.set(key, Number(number))
    else if (isObjectKey(key)) objects.add(key)
    else return undefined
  }
  return { versions, objects }
}

function parseObject(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
