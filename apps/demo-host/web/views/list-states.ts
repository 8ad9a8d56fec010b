import type { KitError } from '@vertical-kit/ui-client'
import { html, type TemplateResult } from 'lit'
import { defaultQuery, type ListQuery, searchOf } from '../data/list-query.ts'
import { messageOf } from '../format.ts'
import { icon } from '../icons.ts'
import { type ListDefinition, permissionFor } from '../lists.ts'
import type { Workspace } from '../workspace.ts'

/** Renders that a list could not be loaded. */
export const listFailed = (error: KitError, retry: () => void): TemplateResult =>
  html`<div class="empty" role="alert">
    ${icon('warning')}
    <h2>The list could not be loaded</h2>
    <p>${messageOf(error)}</p>
    <button class="button" @click=${retry}>Try again</button>
  </div>`

/** Renders that a list could not be loaded again. Its rows stay, because they may still be true. */
export const listOutdated = (error: KitError, retry: () => void): TemplateResult =>
  html`<div class="notice bad notice-row" role="alert">
    <span>The list could not be updated. ${messageOf(error)}</span>
    <button class="button small" @click=${retry}>Try again</button>
  </div>`

/** Moves the focus to the search, because the link disappears with the filters. */
const focusSearch = ({ currentTarget }: Event) =>
  (currentTarget as Element).closest('demo-list')?.querySelector<HTMLElement>('[type="search"]')?.focus()

/** Renders that a list is empty, or that its search finds nothing. */
export function listEmpty({ may }: Workspace, list: ListDefinition, query: ListQuery): TemplateResult {
  const { path, title } = list
  if (query.q !== '' || query.status !== null)
    return html`<div class="empty">
      ${icon('search')}
      <h2>No ${title.toLowerCase()} found</h2>
      <p>Search for something else, or <a href="/${path}${searchOf({ ...defaultQuery, sort: query.sort })}" @click=${focusSearch}>clear the filters</a>.</p>
    </div>`
  return html`<div class="empty">
    ${icon(list.icon)}
    <h2>No ${title.toLowerCase()} yet</h2>
    <p>${may(permissionFor(list, 'create')) ? 'Create the first one.' : 'New entries will appear here.'}</p>
  </div>`
}
