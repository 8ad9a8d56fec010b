import { csvLine } from '../http/csv.ts'
import type { AuditEvent, AuditEventPage } from './contract.ts'

/** A format of exported events: one line for each change, and one for an event without changes. */
export interface LineFormat {
  readonly contentType: string
  readonly extension: string
  /** The first line; an empty text if the format has none. */
  readonly head: string
  lineOf(row: EventLine): string
}

/** One exported change, in the order of the columns. */
export interface EventLine {
  readonly occurredAtUtc: string
  /** The name of the actor; the id if the actor has no user record, null for actions of the service itself. */
  readonly actor: string | null
  readonly actionCode: string
  readonly typeCode: string
  readonly objectId: string
  /** The name of the object; null if the reader may not read the object, or if it is deleted. */
  readonly display: string | null
  readonly fieldPath: string | null
  readonly oldValue: unknown
  readonly newValue: unknown
  readonly eventId: string
}

const columns: readonly (keyof EventLine)[] = [
  ...(['occurredAtUtc', 'actor', 'actionCode', 'typeCode', 'objectId', 'display'] as const),
  ...(['fieldPath', 'oldValue', 'newValue', 'eventId'] as const),
]

/** The formats by media type. */
export const lineFormats: ReadonlyMap<string, LineFormat> = new Map([
  [
    'text/csv',
    {
      contentType: 'text/csv; charset=utf-8; header=present',
      extension: 'csv',
      head: csvLine(columns),
      lineOf: (row: EventLine) => csvLine(columns.map((column) => cellOf(row[column]))),
    },
  ],
  [
    'application/x-ndjson',
    {
      contentType: 'application/x-ndjson; charset=utf-8',
      extension: 'ndjson',
      head: '',
      lineOf: (row: EventLine) => `${JSON.stringify(row)}\n`,
    },
  ],
])

/** Text stays text, null becomes an empty cell, and every other value is JSON. */
const cellOf = (value: unknown): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** Returns the lines of a page. */
export const linesOf = (page: Pick<AuditEventPage, 'items' | 'references'>): readonly EventLine[] =>
  page.items.flatMap((event) => rowsOf(event, page.references))

function rowsOf(event: AuditEvent, references: AuditEventPage['references']): readonly EventLine[] {
  const { actor, target, changes } = event
  const none = { fieldPath: null, oldValue: null, newValue: null }
  return (changes.length === 0 ? [none] : changes).map(({ fieldPath, oldValue, newValue }) => ({
    occurredAtUtc: event.occurredAtUtc,
    actor: actor === null ? null : actor.displayName || actor.userId,
    actionCode: event.actionCode,
    typeCode: target.typeCode,
    objectId: target.id,
    display: references[target.id]?.display ?? null,
    ...{ fieldPath, oldValue, newValue },
    eventId: event.id,
  }))
}
