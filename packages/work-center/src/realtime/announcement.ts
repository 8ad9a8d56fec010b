import * as v from 'valibot'
import type { VersionChanges } from '../inbox/version-changes.ts'
import { Announcement } from './contract.ts'

/** PostgreSQL takes payloads shorter than 8,000 bytes. */
const maxPayloadBytes = 7_999

/** Versions by user as JSON objects, as many as it takes for each to be a payload of NOTIFY. All is ASCII. */
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

/** What {@link encodeAnnouncements} wrote; `undefined` for anything else, as anybody in the database may NOTIFY. */
export function decodeAnnouncement(payload: string): VersionChanges | undefined {
  const announcement = v.safeParse(v.pipe(v.string(), v.parseJson(), Announcement), payload)
  return announcement.success ? new Map(Object.entries(announcement.output)) : undefined
}
