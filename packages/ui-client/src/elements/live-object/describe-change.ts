import type { AuditEvent } from '../../wire/audit.ts'
import { formatAgo, isolated } from '../parts/format.ts'
import type { TextsOf } from '../texts.ts'

/** Describes a change by another user, such as “Carl posted this 2 minutes ago”. The event is null if it is unknown. */
export function describeChange(event: AuditEvent | null, { live }: TextsOf<'live'>): string {
  const actor = isolated(event?.actor?.displayName ?? live.someone)
  const deed = live.deeds[event?.actionCode ?? ''] ?? live.changed
  const isNew = event !== null && Date.now() - Date.parse(event.occurredAtUtc) < 60_000
  const when = isNew ? live.justNow : event === null ? '' : formatAgo(event.occurredAtUtc)
  return live.didThis(actor, deed, when).trim()
}
