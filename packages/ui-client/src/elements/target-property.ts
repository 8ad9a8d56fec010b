import type { PropertyDeclaration } from 'lit'
import { isSameTarget } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** The property `target`. Frameworks create a new object for each rendering, so an equal reference is not a change. */
export const targetProperty: PropertyDeclaration<BusinessObjectReference | undefined> = {
  attribute: false,
  hasChanged: (next, previous) =>
    next === undefined || previous === undefined ? next !== previous : !isSameTarget(next, previous),
}
