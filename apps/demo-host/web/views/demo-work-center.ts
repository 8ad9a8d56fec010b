import type { ExecutionResult } from '@vertical-kit/ui-client'
import type { ShownView } from '@vertical-kit/ui-client/elements'
import { html, type TemplateResult } from 'lit'
import type { App } from '../app.ts'
import { LightElement } from '../light-element.ts'
import { pathOfCreated } from '../navigation-targets.ts'
import { hasShortcuts } from '../shortcuts-setting.ts'
import { pathOfWorkCenter, workCenterView } from '../work-center-address.ts'
import type { Workspace } from '../workspace.ts'

/** The page of the Work Center. The address contains the tab, the order and the filters, so *Back* and a reload restore them. */
export class DemoWorkCenter extends LightElement {
  static override properties = {
    app: { attribute: false },
    workspace: { attribute: false },
    search: { attribute: false },
  }
  declare app: App
  declare workspace: Workspace
  /** The query of the URL. */
  declare search: string

  protected override render(): TemplateResult {
    const { app, workspace } = this
    const view = workCenterView(this.search)
    return html`<div class="view-head"><h1>Work Center</h1></div>
      <div class="card section">
        <vk-work-center
          .session=${workspace.session}
          .collectPayload=${workspace.collectPayload}
          .noShortcuts=${!hasShortcuts()}
          .tab=${view.tab}
          .sort=${view.sort}
          .filters=${view.filters}
          @vk-view-changed=${({ detail }: CustomEvent<ShownView>) => {
            // The texts on the way to another search are no places to return to. A search that is removed is one.
            const [shown, next] = [view.filters.q, detail.filters.q]
            const isTyping = shown !== undefined && next !== undefined && shown !== next
            const path = pathOfWorkCenter(detail)
            if (path !== app.router.path()) app.router.go(path, { replaces: isTyping })
          }}
          @vk-executed=${({ detail }: CustomEvent<ExecutionResult>) => {
            const path = pathOfCreated(detail)
            if (path !== null) app.router.follow(path)
          }}
        ></vk-work-center>
      </div>`
  }
}

customElements.define('demo-work-center', DemoWorkCenter)
