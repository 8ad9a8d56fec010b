import { isDeepStrictEqual } from 'node:util'
import type { FieldChange } from './commands/record-audit.ts'

/**
 * What differs between two states of an object, field by field, as audit events tell it. `null` is the state before it
 * is made or once it is gone. Paths start with `pathPrefix`: `fields.dueDate`.
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
