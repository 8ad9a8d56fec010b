import { isSameTarget } from '../session/session.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'

type Target = BusinessObjectReference | undefined

/** Whether a property has changed. Frameworks create a new object for each rendering, so an equal reference is no change. */
export const isOtherTarget = (next: Target, previous: Target): boolean =>
  next === undefined || previous === undefined ? next !== previous : !isSameTarget(next, previous)
