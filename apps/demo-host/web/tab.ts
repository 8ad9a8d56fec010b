/** The name under which the session storage contains the id of this tab. */
const stored = 'tab'
let id = ''

/** The id of this tab. It is known after {@link claimTab}, and stays the same after a reload and a sign-in. */
export const tabId = (): string => id

/**
 * Gives this tab an id and holds its lock until the page ends. A duplicated tab copies the session storage: it gets another id,
 * because the lock is held. If the browser refuses the storage or the lock, each load of the page gets another id.
 */
export async function claimTab(): Promise<void> {
  id = readStored() ?? crypto.randomUUID()
  if (!(await hold(id))) {
    id = crypto.randomUUID()
    await hold(id)
  }
  try {
    sessionStorage.setItem(stored, id)
  } catch {
    // The storage is full or blocked.
  }
}

function readStored(): string | null {
  try {
    return sessionStorage.getItem(stored)
  } catch {
    return null
  }
}

/** Calls `task` if no tab has this id. Until it returns, no tab gets this id, and no other tab calls a task for it. */
export const whileGone = (tab: string, task: () => void): Promise<void> =>
  navigator.locks
    .request(`tab/${tab}`, { ifAvailable: true }, (lock) => {
      if (lock !== null) task()
    })
    .catch((error: unknown) => {
      // If the browser refuses locks, nobody knows whether the tab is gone.
      if (!(error instanceof DOMException)) throw error
    })

/** Holds the lock of an id until the page ends. Resolves with false if another page holds it, or the browser refuses it. */
function hold(tab: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const request = navigator.locks.request(`tab/${tab}`, { ifAvailable: true }, (lock) => {
    resolve(lock !== null)
    return lock === null ? undefined : new Promise(() => {})
  })
  request.catch(() => resolve(false))
  return promise
}
