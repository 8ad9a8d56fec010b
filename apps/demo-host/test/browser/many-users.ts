import type { Locator, Route } from 'playwright-core'

/** Answers with 100 users, or with those whose name contains `q`. */
export const manyUsers = (route: Route): Promise<void> => {
  const all = Array.from({ length: 150 }, (_, n) => `Person ${String(n).padStart(3, '0')}`)
  const q = new URL(route.request().url()).searchParams.get('q') ?? ''
  const users = all
    .filter((name) => name.includes(q))
    .slice(0, 100)
    .map((displayName) => ({
      userId: `0198c0de-0000-7000-8000-000000000${displayName.slice(-3)}`,
      displayName,
    }))
  return route.fulfill({ json: { users, roles: [] } })
}

/** Returns the names of the choices of a field. */
export const namesIn = (field: Locator) => field.getByRole('option').allTextContents()
