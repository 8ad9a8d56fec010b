import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { SeenChange } from '../inbox/version-changes.ts'
import type { entries } from '../schema-internal.ts'

/** The row that a statement returns for each changed entry. */
export type SeenRow = RowOf<typeof entries, 'userId'> & { view_permission: string | null }

export const changesOf = (rows: readonly SeenRow[]): readonly SeenChange[] =>
  rows.map((row) => ({ userId: row.user_id, viewPermission: row.view_permission }))
