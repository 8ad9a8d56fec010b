import type { NavigationTarget } from '@vertical-kit/ui-client'
import { lists } from './lists.ts'

/**
 * The page's address for a place that the service names; null for one this page does not have. Places come with data, so
 * nothing of one becomes part of an address unescaped.
 */
export function pathOfTarget({ code, parameters }: NavigationTarget): string | null {
  const list = lists.find(({ typeCode }) => typeCode === code)
  if (list === undefined) return null
  // A document's place is called after its type; a customer's names the customer by a parameter of its own.
  const id = parameters['documentId'] ?? parameters['customerId'] ?? parameters['itemId']
  return id === undefined ? `/${list.path}` : `/${list.path}/${encodeURIComponent(id)}`
}
