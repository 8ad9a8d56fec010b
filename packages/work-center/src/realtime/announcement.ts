import * as v from 'valibot'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { Announcement } from './contract.ts'

/** PostgreSQL limits payloads to less than 8,000 bytes. */
const maxPayloadBytes = 7_999

/** Encodes versions by user id as JSON objects in ASCII. Each object fits into the payload of one NOTIFY. */
export function encodeAnnouncements(changes: VersionChanges): readonly string[] {
  const payloads: string[] = []
  let entries = ''
  for (const [userId, version] of changes) {
    const entry = `"${userId}":${version}`
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
export function decodeAnnouncement(payload: string): VersionChanges | undefined {
  const announcement = v.safeParse(v.pipe(v.string(), v.parseJson(), Announcement), payload)
  return announcement.success ? new Map(Object.entries(announcement.output)) : undefined
}
