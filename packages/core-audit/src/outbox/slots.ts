import type { AttemptOutcome } from './attempt-message.ts'

/** The right to run one attempt at a time for a destination. */
export interface Slot {
  /** Records the outcome of an attempt of this slot. */
  record(outcome: AttemptOutcome): void
  /** Whether the destination has more slots than it may have. Free the slot without another attempt. */
  readonly isSurplus: boolean
  free(): void
}

/** A destination with attempts in progress. */
interface Lane {
  slotCount: number
  isFailing: boolean
}

/** The slots of one sender: they decide how many messages it sends at the same time, and to which destinations. */
export interface Slots {
  /** The destinations that must not take another slot. */
  readonly full: readonly string[]
  take(destination: string): Slot
}

/**
 * Creates the slots of a sender. The destinations with attempts in progress share `totalCount` slots equally, and each of them
 * has at least one. So no destination ever waits for another, however many of them are silent.
 *
 * After a failed attempt, a destination has one slot until an attempt succeeds, and the others share without it: a silent
 * destination takes nothing from them, holds only one connection, and does not use up the attempts of many messages at once.
 */
export function createSlots(totalCount: number): Slots {
  const lanes = new Map<string, Lane>()
  const limitOf = ({ isFailing }: Lane): number => {
    if (isFailing) return 1
    const sharingCount = [...lanes.values()].filter((lane) => !lane.isFailing).length
    return Math.max(1, Math.floor(totalCount / sharingCount))
  }
  return {
    get full() {
      return [...lanes].filter(([, lane]) => lane.slotCount >= limitOf(lane)).map(([name]) => name)
    },
    take(destination) {
      const lane = lanes.get(destination) ?? { slotCount: 0, isFailing: false }
      lanes.set(destination, lane)
      lane.slotCount += 1
      return {
        record(outcome) {
          lane.isFailing = outcome === 'failed'
        },
        get isSurplus() {
          return lane.slotCount > limitOf(lane)
        },
        free() {
          lane.slotCount -= 1
          if (lane.slotCount === 0) lanes.delete(destination)
        },
      }
    },
  }
}
