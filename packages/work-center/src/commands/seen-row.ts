import type { SeenChange } from '../inbox/version-changes.ts'

/** What statements that change entries return of each. */
export type SeenRow = { user_id: string; view_permission: string | null }

export const changesOf = (rows: readonly SeenRow[]): readonly SeenChange[] =>
  rows.map((row) => ({ userId: row.user_id, viewPermission: row.view_permission }))
