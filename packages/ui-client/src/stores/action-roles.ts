import type { DocumentReference } from '../client/documents.ts'
import type { Session } from '../session/session.ts'
import { accessStore } from './access.ts'
import { outcome } from './store.ts'

/**
 * Returns a function that resolves with the names of the roles that could perform an action on the document. It resolves
 * with an empty list if the user may not view roles or the request fails, because the names are only a help.
 */
export function roleNames(
  session: Session,
  document: DocumentReference,
  signal: AbortSignal,
): (actionCode: string) => Promise<readonly string[]> {
  const known = new Map<string, Promise<readonly string[]>>()
  const ask = async (actionCode: string): Promise<readonly string[]> => {
    const access = accessStore(session)
    await access.load()
    if (signal.aborted || !access.may('system.roles.view')) return []
    const result = await outcome(signal, session.client.documents.who(document, actionCode, { signal }))
    if (result === null || 'error' in result) return []
    return result.value.roles.map(({ name }) => name)
  }
  return (actionCode) => {
    const names = known.get(actionCode) ?? ask(actionCode)
    known.set(actionCode, names)
    return names
  }
}
