import type { ExecutionResult, NavigationTarget } from '@vertical-kit/ui-client'
import { lists } from './lists.ts'

const isId = /^[\w-]{1,64}$/

/**
 * Returns the page's path for a navigation target of the service. Returns null if the page has no such place, or if the id
 * of the target is invalid.
 */
export function pathOfTarget({ code, parameters }: NavigationTarget): string | null {
  const list = lists.find(({ typeCode }) => typeCode === code)
  if (list === undefined) return null
  // The target of a document contains the id as `documentId`. Customers and items have their own parameter names.
  const id = parameters['documentId'] ?? parameters['customerId'] ?? parameters['itemId']
  if (id === undefined) return `/${list.path}`
  // The target of a mention contains the id of the note.
  const panel = parameters['noteId'] === undefined ? '' : '?panel=notes'
  return isId.test(id) ? `/${list.path}/${id}${panel}` : null
}

/** Returns the page's path of the document that an action created, or null if it created none. */
export function pathOfCreated({ createdDocument }: ExecutionResult): string | null {
  const list = lists.find(({ typeCode }) => typeCode === createdDocument?.typeCode)
  return createdDocument === null || list === undefined ? null : `/${list.path}/${createdDocument.id}`
}
