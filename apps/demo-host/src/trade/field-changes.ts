import { isDeepStrictEqual } from 'node:util'
import type { FieldChange } from '@vertical-kit/core-audit'

/** The fields of a catalog item or document, as its type's schema lets them through. */
export type Fields = Readonly<Record<string, unknown>>

/** What differs between two states of an object, field by field; `null` is the state before it is made or once it is gone. */
export function fieldChanges(before: Fields | null, after: Fields | null): readonly FieldChange[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...names]
    .map((name) => ({
      fieldPath: `fields.${name}`,
      oldValue: before?.[name] ?? null,
      newValue: after?.[name] ?? null,
    }))
    .filter(({ oldValue, newValue }) => !isDeepStrictEqual(oldValue, newValue))
}
