import type { Preference } from '../src/contract.ts'
import { expectJson } from './harness.ts'
import type { Person } from './people.ts'

export const path = '/api/me/notification-preferences'

export const list = async ({ request }: Pick<Person, 'request'>): Promise<readonly Preference[]> =>
  expectJson<Preference[]>(await request('GET', path))

/** Returns the enabled state of each preference by its code. */
export const enabledOf = (preferences: readonly Preference[]) =>
  Object.fromEntries(preferences.map(({ code, isEnabled }) => [code, isEnabled]))
