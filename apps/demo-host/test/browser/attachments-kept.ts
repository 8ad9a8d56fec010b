import type { Page } from 'playwright-core'

/** Returns as text all data that a page stores in the browser. Files are represented by their names. */
export async function kept(page: Page): Promise<string> {
  const drafts = await eachDraft(page, null)
  const storages = await page.evaluate(() => [JSON.stringify(localStorage), JSON.stringify(sessionStorage)])
  return [...drafts, ...storages].join('\n')
}

/** Moves the start times of the stored uploads of a page back by the given number of days. */
export async function agePanelDrafts(page: Page, days: number): Promise<void> {
  await eachDraft(page, days * 24 * 60 * 60 * 1_000)
}

function eachDraft(page: Page, olderByMs: number | null): Promise<readonly string[]> {
  return page.evaluate(async (ageMs) => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const database = await done(indexedDB.open('vertical-kit'))
    const open = () => database.transaction('drafts', 'readwrite').objectStore('drafts')
    const [keys, values] = await Promise.all([done(open().getAllKeys()), done(open().getAll())])
    for (const [index, key] of ageMs === null ? [] : keys.entries()) {
      // The last part of a key starts with the start time in base 36.
      const older = String(key).replace(/[^/-]+(?=-[^/]*$)/, (time) =>
        (Number.parseInt(time, 36) - (ageMs ?? 0)).toString(36),
      )
      await done(open().put(values[index], older))
      await done(open().delete(key))
    }
    database.close()
    return [
      ...keys.map(String),
      ...values.map((value) => (value instanceof File ? `file ${value.name}` : String(value))),
    ]
  }, olderByMs)
}
