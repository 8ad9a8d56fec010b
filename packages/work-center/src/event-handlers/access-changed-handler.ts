import { accessChanged } from '@vertical-kit/core-audit/identity'
import * as v from 'valibot'
import type { EventHandler } from './event-handler.ts'

/**
 * Handles changes of roles, permissions and accounts. Raises the versions of all affected users, gives back tasks when their
 * claimer has lost the role, and makes new members of a role recipients of its unclaimed tasks. Reads the current rights from
 * the database, because the event may be outdated.
 */
export const accessChangedHandler: EventHandler = {
  eventType: accessChanged.type,
  async run(inbox, event) {
    inbox.changeAccess(v.parse(accessChanged.schema, event.data))
  },
}
