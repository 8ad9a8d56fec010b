import type { PropertyDeclaration } from 'lit'
import { isSameTarget } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

/** The property `target`. The same object written anew, as frameworks do with every rendering, is no change. */
export const targetProperty: PropertyDeclaration<BusinessObjectReference | undefined> = {
  attribute: false,
  hasChanged: (next, previous) =>
    next === undefined || previous === undefined ? next !== previous : !isSameTarget(next, previous),
}
