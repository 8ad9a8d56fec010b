/** A difference between the events and their seals, between two seals, or between the seals and an anchor. */
export type AuditDifference =
  /** The content of an event is another one; also if the id of the event was changed in place. */
  | { readonly kind: 'changed'; readonly sequence: number; readonly eventId: string }
  | { readonly kind: 'inserted'; readonly sequence: number; readonly eventId: string }
  /** The event has the content of another one: their contents were exchanged, or moved by some places. */
  | {
      readonly kind: 'reordered'
      readonly sequence: number
      readonly eventId: string
      readonly contentOfId: string
    }
  /** An event is missing between two others, of which one can be outside of the seal. */
  | {
      readonly kind: 'missing'
      readonly sequence: number
      readonly afterId: string | null
      readonly beforeId: string | null
    }
  /** The hash of all events differs, but none of their marks. Marks are short, so that a forger can find a match. */
  | { readonly kind: 'unknown'; readonly sequence: number }
  /** The hash of a seal does not follow from its columns and the seal before it. */
  | { readonly kind: 'seal changed'; readonly sequence: number }
  | { readonly kind: 'seal missing'; readonly sequence: number }
  /** Another seal has the same number. */
  | { readonly kind: 'seal repeated'; readonly sequence: number }
  /** The seal of an anchor has another hash, or does not exist. */
  | { readonly kind: 'anchor differs' | 'anchor missing'; readonly sequence: number }

/** A short form of an event: 4 bytes of its id's hash and 8 bytes of its content's hash, as 24 hexadecimal digits. */
export interface MarkedEvent {
  readonly id: string
  readonly mark: string
}

export interface MarkedSeal {
  readonly sequence: number
  /** The marks of the events when they were sealed, in order. */
  readonly marks: readonly string[]
  /** The events as they are now, in order. At least one more than sealed, if there are so many. */
  readonly events: readonly MarkedEvent[]
}

const idMark = (mark: string): string => mark.slice(0, 8)
const contentMark = (mark: string): string => mark.slice(8)

/** Returns the first difference between the sealed marks and the events. */
export function findDifference({ sequence, marks, events }: MarkedSeal): AuditDifference {
  const at = marks.findIndex((mark, index) => mark !== events[index]?.mark)
  const place = at === -1 ? marks.length : at
  const [sealed, found] = [marks[place], events[place]]
  if (found === undefined) {
    if (sealed === undefined) return { kind: 'unknown', sequence }
    return { kind: 'missing', sequence, ...neighbours(events, place) }
  }
  const eventId = found.id
  if (sealed === undefined) return { kind: 'inserted', sequence, eventId }
  if (idMark(sealed) === idMark(found.mark)) {
    const origin = marks.find((mark) => contentMark(mark) === contentMark(found.mark))
    const owner = events.find(({ mark }) => origin !== undefined && idMark(mark) === idMark(origin))
    if (owner === undefined) return { kind: 'changed', sequence, eventId }
    return { kind: 'reordered', sequence, eventId, contentOfId: owner.id }
  }
  if (events.slice(place).some(({ mark }) => idMark(mark) === idMark(sealed))) {
    return { kind: 'inserted', sequence, eventId }
  }
  const isNew = !marks.slice(place).some((mark) => idMark(mark) === idMark(found.mark))
  if (isNew && contentMark(found.mark) === contentMark(sealed)) return { kind: 'changed', sequence, eventId }
  return { kind: 'missing', sequence, ...neighbours(events, place) }
}

const neighbours = (events: readonly MarkedEvent[], place: number) => ({
  afterId: events[place - 1]?.id ?? null,
  beforeId: events[place]?.id ?? null,
})
