import type { ExecutionResult } from '@vertical-kit/ui-client'
import { html, nothing, type TemplateResult } from 'lit'
import type { App } from '../app.ts'
import { icon } from '../icons.ts'
import { listAt, permissionFor, viewableLists } from '../lists.ts'
import { pathOfCreated } from '../navigation-targets.ts'
import type { Route } from '../router.ts'
import type { Workspace } from '../workspace.ts'
import { collectPayload } from './ask-amount.ts'
import './demo-entry.ts'
import './demo-list.ts'

/** Renders the view of a route. */
export function currentView(app: App, workspace: Workspace, route: Route): TemplateResult | typeof nothing {
  switch (route.view) {
    case 'home':
    case 'signed-in':
      return home(app, workspace)
    case 'list':
    case 'entry': {
      const list = listAt(route.list)
      // Like the service, do not reveal whether an entry exists that the user is not allowed to view.
      if (!workspace.may(permissionFor(list, 'view'))) return notFound
      return route.view === 'list'
        ? html`<demo-list .session=${workspace.session} .workspace=${workspace} .list=${list}></demo-list>`
        : html`<demo-entry
            .session=${workspace.session}
            .app=${app}
            .workspace=${workspace}
            .list=${list}
            .entryId=${route.id}
          ></demo-entry>`
    }
    case 'work-center':
      return html`<div class="view-head"><h1>Work Center</h1></div>
        <div class="card section">
          <vk-work-center
            .session=${workspace.session}
            .collectPayload=${collectPayload}
            @vk-executed=${(event: CustomEvent<ExecutionResult>) => {
              const path = pathOfCreated(event.detail)
              if (path !== null) app.router.follow(path)
            }}
          ></vk-work-center>
        </div>`
    case 'team':
      return html`<div class="view-head"><h1>Team tasks</h1></div>
        <div class="card section"><vk-team-tasks .session=${workspace.session}></vk-team-tasks></div>`
    case 'preferences':
      return html`<div class="view-head"><h1>Preferences</h1></div>
        <div class="card section"><vk-preferences .session=${workspace.session}></vk-preferences></div>
        <div class="view-head"><h2>Substitute</h2></div>
        <div class="card section"><vk-substitution .session=${workspace.session}></vk-substitution></div>`
    case 'audit-log':
      if (!workspace.may('system.audit.view')) return notFound
      return html`<div class="view-head"><h1>Audit log</h1></div>
        <div class="card section">
          <vk-audit-timeline .session=${workspace.session} all-objects></vk-audit-timeline>
        </div>`
    case 'not-found':
      return notFound
  }
}

/** Redirects to the first list that the user is allowed to view. */
function home({ router }: App, workspace: Workspace): TemplateResult | typeof nothing {
  const [first] = viewableLists(workspace.may)
  if (first !== undefined) {
    queueMicrotask(() => router.go(`/${first.path}`, { replaces: true }))
    return nothing
  }
  return html`<div class="card empty">
    ${icon('people')}
    <h2>You do not have access yet</h2>
    <p>You are signed in, but none of your roles grants access. Ask an administrator to assign you a role.</p>
  </div>`
}

const notFound = html`<div class="card empty">
  ${icon('warning')}
  <h2>Not found</h2>
  <p>This page may have been deleted, or you do not have access to it.</p>
  <p><a class="button" href="/">Go to the start page</a></p>
</div>`
