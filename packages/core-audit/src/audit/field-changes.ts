import { isDeepStrictEqual } from 'node:util'
import type { FieldChange } from './commands/record-audit.ts'

/**
 * Returns the fields that differ between two states of an object, for an audit event. `null` is the state before creation
 * or after deletion. Every path starts with `pathPrefix`: with the prefix `fields.`, a path is `fields.dueDate`.
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
