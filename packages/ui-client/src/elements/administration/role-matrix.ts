import { html, nothing, type TemplateResult } from 'lit'
import type { Permission } from '../../wire/security.ts'
import { groupName, permissionTexts } from '../service-texts.ts'
import { scrollingTable } from './parts.ts'
import { currentTexts } from './texts.ts'

export interface RoleMatrix {
  readonly permissions: readonly Permission[]
  readonly granted: ReadonlySet<string>
  readonly isReadOnly: boolean
  toggle(permission: string): void
}

/** The two parts of a permission: `document.trade.sales_invoice` and `view`. */
const parts = (permission: string) => {
  const end = permission.lastIndexOf('.')
  return { resource: permission.slice(0, end), action: permission.slice(end + 1) }
}

/** Renders the permissions of a role: for each group, a table with a row for each resource and a column for each action. */
export function roleMatrix({ permissions, granted, isReadOnly, toggle }: RoleMatrix): TemplateResult {
  const texts = currentTexts()
  const groups = Map.groupBy(permissions, ({ group }) => group)
  const known = new Set(permissions.map(({ permission }) => permission))
  const unknown = [...granted].filter((permission) => !known.has(permission))
  const box = (of: Permission) => {
    const { permission } = of
    const { name, description } = permissionTexts(of)
    return html`<input
    part="checkbox"
    type="checkbox"
    aria-label=${name}
    title=${description}
    ?disabled=${isReadOnly}
    .checked=${granted.has(permission)}
    @change=${() => toggle(permission)}
  />`
  }
  return html`${[...groups].map(([group, list]) => {
    const actions = [...new Set(list.map(({ permission }) => parts(permission).action))]
    const resources = Map.groupBy(list, ({ permission }) => parts(permission).resource)
    return scrollingTable(
      groupName(group),
      html`<table part="table" class="matrix">
        <caption>
          ${groupName(group)}
        </caption>
        <thead>
          <tr>
            <th scope="col">${texts.resourceColumn}</th>
            ${actions.map((action) => html`<th scope="col">${texts.action(action)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${[...resources].map(
            ([resource, ofResource]) => html`<tr>
              <th scope="row" title=${resource}>${texts.resource(resource)}</th>
              ${actions.map((action) => {
                const one = ofResource.find(({ permission }) => permission === `${resource}.${action}`)
                return html`<td>${one === undefined ? nothing : box(one)}</td>`
              })}
            </tr>`,
          )}
        </tbody>
      </table>`,
    )
  })}
  ${
    unknown.length === 0
      ? nothing
      : html`<p class="small muted">${texts.notRegistered}: ${unknown.map((permission) => html`<code>${permission}</code> `)}</p>`
  }`
}
