import * as v from 'valibot'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { Announcement } from './contract.ts'
import type { ObjectChanges } from './object-key.ts'

/** PostgreSQL limits payloads to less than 8,000 bytes. */
const maxPayloadBytes = 7_999

/** The changes that replicas announce to each other. */
export interface Announced {
  readonly versions: VersionChanges
  readonly objects: ObjectChanges
}

/** Encodes versions by user id, and counts by object, as JSON objects in ASCII. Each fits into the payload of one NOTIFY. */
export function encodeAnnouncements(changes: Iterable<readonly [string, number]>): readonly string[] {
  const payloads: string[] = []
  let entries = ''
  for (const [key, number] of changes) {
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

/** Decodes a payload of {@link encodeAnnouncements}. Returns `undefined` for other payloads, which any client can send. */
export function decodeAnnouncement(payload: string): Announced | undefined {
  const announcement = v.safeParse(v.pipe(v.string(), v.parseJson(), Announcement), payload)
  if (!announcement.success) return undefined
  const { objects = [], versions = [] } = Object.groupBy(Object.entries(announcement.output), ([key]) =>
    key.includes('/') ? 'objects' : 'versions',
  )
  return { versions: new Map(versions), objects: new Map(objects) }
}
