/** Gives places to work in order of its arrival. Work that finds no place waits for at most `waitMs`. */
export interface Admission<Place> {
  /**
   * Returns a place for the work, or a promise of one. `take` takes a place, or returns undefined if none is free for this
   * work. The promise rejects with the error of `onTimeout` if no place becomes free in time.
   */
  enter(take: () => Place | undefined): Place | Promise<Place>
  /** Gives free places to waiting work, until the first that finds none. Call it whenever a place becomes free. */
  proceed(): void
  readonly waitingCount: number
}

/** Creates an admission. Work never overtakes work that arrived earlier, even if a place would suit only the later work. */
export function createAdmission<Place>(options: {
  readonly waitMs: number
  readonly onTimeout: () => Error
}): Admission<Place> {
  const { waitMs, onTimeout } = options
  /** One function for each waiting work, in order of arrival. It returns false if the work still finds no place. */
  const waiting = new Set<() => boolean>()
  const proceed = (): void => {
    for (const admit of waiting) if (!admit()) return
  }
  const wait = (take: () => Place | undefined): Promise<Place> =>
    new Promise((resolve, reject) => {
      const admit = (): boolean => {
        const place = take()
        if (place === undefined) return false
        clearTimeout(timer)
        waiting.delete(admit)
        resolve(place)
        return true
      }
      const timer = setTimeout(() => {
        waiting.delete(admit)
        reject(onTimeout())
        proceed()
      }, waitMs)
      waiting.add(admit)
    })

  return {
    enter: (take) => (waiting.size === 0 ? take() : undefined) ?? wait(take),
    proceed,
    get waitingCount() {
      return waiting.size
    },
  }
}
