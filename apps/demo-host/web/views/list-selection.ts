import type { BatchAction, BatchSelection } from '@vertical-kit/ui-client/elements'
import type { Entry } from '../data/entries.ts'
import { nameOf } from './columns.ts'

/** The ids of the selected documents, with the versions that the user has selected. */
export type Chosen = ReadonlyMap<string, number>

/** The actions for several documents of a list. */
export const batchActions: readonly BatchAction[] = [
  { code: 'post', label: 'Post', kind: 'Primary', confirmation: null },
]

/** Documents of a list have a version, and only they can be selected. */
export const versionOf = (entry: Entry): number =>
  ('documentVersion' in entry ? entry.documentVersion : undefined) ?? 0

/** Returns the selected documents that the list shows. If another user has changed one since, the service refuses its action. */
export const selectionOf = (items: readonly Entry[], chosen: Chosen): readonly BatchSelection[] =>
  items.flatMap((entry) => {
    const expectedVersion = chosen.get(entry.id)
    return expectedVersion === undefined ? [] : [{ id: entry.id, expectedVersion, name: nameOf(entry) }]
  })
