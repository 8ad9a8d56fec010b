import type { PropertyDeclaration } from 'lit'
import { isSameTarget } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** The property `target`. An equal reference is no change: frameworks create a new object with every rendering. */
export const targetProperty: PropertyDeclaration<BusinessObjectReference | undefined> = {
  attribute: false,
  hasChanged: (next, previous) =>
    next === undefined || previous === undefined ? next !== previous : !isSameTarget(next, previous),
}
