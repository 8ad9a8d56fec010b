import type { DocumentReference } from '../client/documents.ts'
import type { Session } from '../session/session.ts'
import type { ActionRoles } from '../wire/documents.ts'
import { accessStore } from './access.ts'
import { outcome } from './store.ts'

/** A role that could perform an action. */
export type ActionRole = ActionRoles['roles'][number]

/**
 * Returns a function that resolves with the roles that could perform an action on the document. It resolves
 * with an empty list if the user may not view roles or the request fails, because they are only a help.
 */
export function rolesFor(
  session: Session,
  document: DocumentReference,
  signal: AbortSignal,
): (actionCode: string) => Promise<readonly ActionRole[]> {
  const known = new Map<string, Promise<readonly ActionRole[]>>()
  const ask = async (actionCode: string): Promise<readonly ActionRole[]> => {
    const access = accessStore(session)
    await access.load()
    if (signal.aborted || !access.may('system.roles.view')) return []
    const result = await outcome(signal, session.client.documents.who(document, actionCode, { signal }))
    if (result === null || 'error' in result) return []
    return result.value.roles
  }
  return (actionCode) => {
    const roles = known.get(actionCode) ?? ask(actionCode)
    known.set(actionCode, roles)
    return roles
  }
}
