import type { DocumentStatus } from '@vertical-kit/ui-client'
import { type ListDefinition, newestFirst } from '../lists.ts'

/** The search, filter and order of a list. They are part of the URL. */
export interface ListQuery {
  readonly q: string
  readonly status: DocumentStatus | null
  readonly sort: string
}

export const defaultQuery: ListQuery = { q: '', status: null, sort: newestFirst }

/** A search starts after this time without another key, so that typing a word does not send a search for each letter. */
export const typingMs = 200

/** The statuses of documents, in the order of their life. */
export const statuses: readonly DocumentStatus[] = ['Draft', 'Posted', 'MarkedForDeletion']

/** Reads the query of a list from the URL. Values that the list does not have count as absent. */
export function listQueryOf({ resource, sorts }: ListDefinition, search: string): ListQuery {
  const query = new URLSearchParams(search)
  const sort = query.get('sort')
  const status = query.get('status')
  return {
    q: query.get('q') ?? '',
    status: (resource === 'document' && statuses.find((one) => one === status)) || null,
    sort: sorts.find(({ value }) => value === sort)?.value ?? newestFirst,
  }
}

/** Writes the query of a list to the URL: `?status=Draft&sort=due`, or an empty text without filters. */
export function searchOf({ q, status, sort }: ListQuery): string {
  const query = new URLSearchParams()
  if (q !== '') query.set('q', q)
  if (status !== null) query.set('status', status)
  if (sort !== newestFirst) query.set('sort', sort)
  return query.size === 0 ? '' : `?${query}`
}

/** Returns the parameters of the request to the service. */
export const requestOf = ({ q, status, sort }: ListQuery) => ({
  q: q.trim() === '' ? null : q.trim(),
  status,
  sort: sort === newestFirst ? null : sort,
})
