import type { NavigationTarget } from '@vertical-kit/ui-client'
import { lists } from './lists.ts'

const isId = /^[\w-]{1,64}$/

/**
 * The page's address for a place that the service names; null for one this page does not have. What a place names is an id,
 * or it is no place: nothing else of it becomes part of an address.
 */
export function pathOfTarget({ code, parameters }: NavigationTarget): string | null {
  const list = lists.find(({ typeCode }) => typeCode === code)
  if (list === undefined) return null
  // A document's place is called after its type; a customer's names the customer by a parameter of its own.
  const id = parameters['documentId'] ?? parameters['customerId'] ?? parameters['itemId']
  if (id === undefined) return `/${list.path}`
  return isId.test(id) ? `/${list.path}/${id}` : null
}
