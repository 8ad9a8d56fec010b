/** Gives places to work in order of its arrival. Work that finds no place waits for at most `waitMs`. */
export interface Admission<Place> {
  /**
   * Returns a place for the work, or a promise of one. `take` takes a place, or returns undefined if none is free for this
   * work. The promise rejects with the error of `onTimeout` if no place becomes free in time. An error of `take` fails only
   * this work.
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
  /** One function for each waiting work, in order of arrival. It returns false if the work must wait longer. */
  const waiting = new Set<() => boolean>()
  const proceed = (): void => {
    for (const admit of waiting) if (!admit()) return
  }
  const wait = (take: () => Place | undefined): Promise<Place> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        waiting.delete(admit)
      }
      const admit = (): boolean => {
        try {
          const place = take()
          if (place === undefined) return false
          end()
          resolve(place)
        } catch (error) {
          // `proceed` runs in work that has ended, and in timers: they must not fail because of this work.
          end()
          reject(error)
        }
        return true
      }
      const timer = setTimeout(() => {
        end()
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
