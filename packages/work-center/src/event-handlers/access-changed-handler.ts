import { accessChanged } from '@vertical-kit/core-audit/identity'
import * as v from 'valibot'
import type { EventHandler } from './event-handler.ts'

/**
 * What a change of roles, permissions or accounts means: everybody concerned looks again, and tasks claimed by who has lost
 * the role are there for the others again. Which rights count now is asked, not taken from the event: it may be late.
 */
export const accessChangedHandler: EventHandler = {
  eventType: accessChanged.type,
  async run(inbox, event) {
    inbox.changeAccess(v.parse(accessChanged.schema, event.data))
  },
}
