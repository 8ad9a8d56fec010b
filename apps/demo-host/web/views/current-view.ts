import type { ShownTeamView, ShownTimeline } from '@vertical-kit/ui-client/elements'
import { html, nothing, type TemplateResult } from 'lit'
import { partAt } from '../administration.ts'
import type { App } from '../app.ts'
import { icon } from '../icons.ts'
import { listAt, maySeeReceivables, permissionFor, viewableLists } from '../lists.ts'
import type { Route } from '../router.ts'
import { shortcutsSetting } from '../shortcuts-setting.ts'
import type { Workspace } from '../workspace.ts'
import { languageChoice } from './language-choice.ts'
import './demo-administration.ts'
import './demo-dashboard.ts'
import './demo-entry.ts'
import './demo-list.ts'
import './demo-work-center.ts'

/** The place in the URL. */
interface Place {
  readonly route: Route
  readonly search: string
}

/** Renders the view of a place. */
export function currentView(
  app: App,
  workspace: Workspace,
  { route, search }: Place,
): TemplateResult | typeof nothing {
  switch (route.view) {
    case 'home':
    case 'signed-in':
      return home(app, workspace)
    case 'list':
    case 'entry': {
      const list = listAt(route.list)
      // Like the service, do not reveal whether an entry exists that the user is not allowed to view.
      if (!workspace.may(permissionFor(list, 'view'))) return notFound
      if (route.view === 'entry' && route.id === null && !workspace.may(permissionFor(list, 'create')))
        return notFound
      return route.view === 'list'
        ? html`<demo-list
            .session=${workspace.session}
            .app=${app}
            .workspace=${workspace}
            .list=${list}
            .search=${search}
          ></demo-list>`
        : html`<demo-entry
            .session=${workspace.session}
            .app=${app}
            .workspace=${workspace}
            .list=${list}
            .entryId=${route.id}
            .search=${search}
          ></demo-entry>`
    }
    case 'work-center':
      return html`<demo-work-center .app=${app} .workspace=${workspace} .search=${search}></demo-work-center>`
    case 'team':
      if (!workspace.may('system.work_center.supervise')) return notFound
      return teamTasks(app, workspace, search)
    case 'preferences':
      return html`<div class="view-head"><h1>Preferences</h1>${languageChoice()}</div>
        <div class="card section"><vk-preferences .session=${workspace.session}></vk-preferences></div>
        <div class="view-head"><h2>Keyboard</h2></div>
        <div class="card section">${shortcutsSetting()}</div>
        <div class="view-head"><h2>Substitute</h2></div>
        <div class="card section"><vk-substitution .session=${workspace.session}></vk-substitution></div>`
    case 'audit-log':
      if (!workspace.may('system.audit.view')) return notFound
      return auditLog(app, workspace, search)
    case 'administration':
      if (!workspace.may(partAt(route.section).permission)) return notFound
      return html`<demo-administration .app=${app} .session=${workspace.session} .section=${route.section}></demo-administration>`
    case 'not-found':
      return notFound
  }
}

/** Renders the overview. If the user is not allowed to see it, redirects to the first list that the user may view. */
function home({ router }: App, workspace: Workspace): TemplateResult | typeof nothing {
  if (maySeeReceivables(workspace)) {
    return html`<demo-dashboard .session=${workspace.session} .workspace=${workspace}></demo-dashboard>`
  }
  const [first] = viewableLists(workspace.may)
  if (first !== undefined) {
    queueMicrotask(() => router.go(`/${first.path}`, { replaces: true }))
    return nothing
  }
  return html`<div class="card empty">
    ${icon('people')}
    <h1>You do not have access yet</h1>
    <p>You are signed in, but none of your roles grants access. Ask an administrator to assign you a role.</p>
  </div>`
}

const notFound = html`<div class="card empty">
  ${icon('warning')}
  <h1>Not found</h1>
  <p>This page may have been deleted, or you do not have access to it.</p>
  <p><a class="button" href="/">Go to the start page</a></p>
</div>`

/** Renders the tasks of the team. The address contains the view, the order and the user. The element ignores unknown values. */
function teamTasks(app: App, { session }: Workspace, search: string): TemplateResult {
  const query = new URLSearchParams(search)
  const changed = ({ detail }: CustomEvent<ShownTeamView>) => {
    const shown = Object.entries(detail).filter(([, value]) => value !== '')
    app.router.go(`/team?${new URLSearchParams(shown)}`)
  }
  return html`<div class="view-head"><h1>Team tasks</h1></div>
    <div class="card section">
      <vk-team-tasks
        .session=${session}
        .view=${query.get('view')}
        .sort=${query.get('sort')}
        .claimedBy=${query.get('claimedBy')}
        @vk-view-changed=${changed}
      ></vk-team-tasks>
    </div>`
}

const auditFilters = ['actor', 'actionCode', 'typeCode', 'from', 'to'] as const

/** Renders the audit log of all objects. The address contains the filters. */
function auditLog(app: App, { session }: Workspace, search: string): TemplateResult {
  const query = new URLSearchParams(search)
  const filters = auditFilters.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : []))
  const changed = ({ detail }: CustomEvent<ShownTimeline>) => {
    const shown = Object.entries(detail.filters).filter(([, value]) => value !== undefined)
    app.router.go(shown.length === 0 ? '/audit-log' : `/audit-log?${new URLSearchParams(shown)}`)
  }
  return html`<div class="view-head"><h1>Audit log</h1></div>
    <div class="card section">
      <vk-audit-timeline
        all-objects
        .session=${session}
        .filters=${Object.fromEntries(filters)}
        @vk-view-changed=${changed}
      ></vk-audit-timeline>
    </div>`
}
