import type { AuditEvent } from '../../wire/audit.ts'
import { formatBytes } from '../parts/format.ts'
import type { TextsOf } from '../texts.ts'

/** Returns the names and values of an event's metadata that are shown to the user. */
export function eventDetails(
  { metadata }: AuditEvent,
  texts: TextsOf<'audit'>['audit'],
): readonly (readonly [string, string])[] {
  const { fileName, sizeBytes, reason, source, createdDocument } = metadata ?? {}
  const size = typeof sizeBytes === 'number' ? ` (${formatBytes(sizeBytes)})` : ''
  const known: readonly (readonly [string, unknown])[] = [
    [texts.file, typeof fileName === 'string' ? fileName + size : null],
    [texts.reason, reason],
    [texts.source, numberOf(source)],
    [texts.createdDocument, numberOf(createdDocument)],
  ]
  return known.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []))
}

const numberOf = (document: unknown): unknown =>
  typeof document === 'object' && document !== null && 'number' in document ? document.number : null
