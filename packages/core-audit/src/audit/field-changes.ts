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
      oldValue: fieldOf(before, name),
      newValue: fieldOf(after, name),
    }))
    .filter(({ oldValue, newValue }) => !isDeepStrictEqual(oldValue, newValue))
}

/** Returns a field, or null. A field can have the name of an inherited property, such as `valueOf`. */
const fieldOf = (state: Readonly<Record<string, unknown>> | null, name: string): unknown =>
  state !== null && Object.hasOwn(state, name) ? (state[name] ?? null) : null
