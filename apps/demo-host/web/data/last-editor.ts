import type { MeAccess } from '@vertical-kit/ui-client'
import { outcome, type Session } from '@vertical-kit/ui-client/stores'
import { type ListDefinition, permissionFor } from '../lists.ts'

/** Notes and files do not change the version of their document. Twenty events are enough to look behind some of them. */
const searchedCount = 20

/** Identifies an entry whose latest change is read. */
interface ChangedEntry {
  readonly list: ListDefinition
  readonly id: string
  readonly signal: AbortSignal
}

/** The user who reads the name, with their session and permissions. */
interface Reader {
  readonly session: Session
  readonly access: MeAccess
  may(permission: string): boolean
}

/** The user who changed an entry last. */
export interface LastEditor {
  readonly displayName: string
  /** Whether the user is the reader, here or in another window. */
  readonly isReader: boolean
}

/** Resolves with the user who changed an entry last. Null if the reader may not know it, or after a failure. */
export async function lastEditor(
  { session, access, may }: Reader,
  { list, id, signal }: ChangedEntry,
): Promise<LastEditor | null> {
  if (!may('system.audit.view') && !may(permissionFor(list, 'view_audit'))) return null
  const target = { kind: list.kind, typeCode: list.typeCode, id }
  const result = await outcome(signal, session.client.audit.list({ target, limit: searchedCount, signal }))
  if (result === null || 'error' in result) return null
  const change = result.value.items.find(({ actionCode }) => !/^(notes|attachments)\./.test(actionCode))
  const actor = change?.actor ?? null
  return actor && { displayName: actor.displayName, isReader: actor.userId === access.userId }
}
