import { html, nothing, type TemplateResult } from 'lit'
import { administrationParts } from '../administration.ts'
import { type IconName, icon } from '../icons.ts'
import { type ListDefinition, maySeeReceivables, viewableLists } from '../lists.ts'
import type { Route } from '../router.ts'
import type { Workspace } from '../workspace.ts'

/** The permission to see the tasks of all users. */
const supervise = 'system.work_center.supervise'

/** Renders the navigation. It contains only the lists that the user is allowed to view. */
export function sideNavigation(workspace: Workspace, route: Route): TemplateResult {
  const link = (path: string, label: string, name: IconName) =>
    html`<a href=${path} aria-current=${isWithin(route, path) ? 'page' : nothing}>${icon(name)} ${label}</a>`
  const group = (title: string, resource: ListDefinition['resource']) => {
    const shown = viewableLists(workspace.may).filter((list) => list.resource === resource)
    if (shown.length === 0) return nothing
    return html`<h2>${title}</h2>
      ${shown.map((list) => link(`/${list.path}`, list.title, list.icon))}`
  }
  return html`${maySeeReceivables(workspace) ? link('/', 'Receivables', 'chart') : nothing}
    ${link('/work-center', 'Work Center', 'bell')}
    ${workspace.may(supervise) ? link('/team', 'Team tasks', 'list') : nothing} ${group('Documents', 'document')}
    ${group('Catalogs', 'catalog')}
    ${administration(workspace, link)}
    <h2>Account</h2>
    ${link('/preferences', 'Preferences', 'sliders')}`
}

/** Renders the links to the parts of the administration that the user may see. */
function administration(
  { may }: Workspace,
  link: (path: string, label: string, name: IconName) => TemplateResult,
): TemplateResult | typeof nothing {
  const links = [
    ...administrationParts
      .filter(({ permission }) => may(permission))
      .map((part) => link(`/administration/${part.section}`, part.title, part.icon)),
    ...(may('system.audit.view') ? [link('/audit-log', 'Audit log', 'clock')] : []),
  ]
  return links.length === 0 ? nothing : html`<h2>Administration</h2>${links}`
}

function isWithin(route: Route, path: string): boolean {
  if (route.view === 'administration') return path === `/administration/${route.section}`
  if (route.view === 'home') return path === '/'
  return path === (route.view === 'list' || route.view === 'entry' ? `/${route.list}` : `/${route.view}`)
}
