import { isDeepStrictEqual } from 'node:util'
import type { FieldChange } from './commands/record-audit.ts'

/**
 * Returns the fields that differ between two states of an object, in the form of audit events. `null` is the state before
 * creation or after deletion. Paths start with `pathPrefix`: `fields.dueDate`.
 */
export function fieldChanges(
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>> | null,
  pathPrefix = '',
): readonly FieldChange[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...names]
    .map((name) => ({
      fieldPath: pathPrefix + name,
      oldValue: before?.[name] ?? null,
      newValue: after?.[name] ?? null,
    }))
    .filter(({ oldValue, newValue }) => !isDeepStrictEqual(oldValue, newValue))
}
