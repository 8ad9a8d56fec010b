import type { DocumentTasksStore } from '@vertical-kit/ui-client/stores'
import { html, type LitElement, type TemplateResult } from 'lit'

/** The tasks that an entry shows at its end. */
export interface ShownTasks {
  readonly count: number
}

/** Follows the tasks that an entry shows, and renders the entry again when they change. */
export function followTasks(entry: LitElement): ShownTasks {
  let store: DocumentTasksStore | null = null
  let stop = () => {}
  const follow = (next: DocumentTasksStore | null) => {
    if (next === store) return
    stop()
    store = next
    stop = next?.$state.listen(() => entry.requestUpdate()) ?? (() => {})
    entry.requestUpdate()
  }
  const look = async () => {
    const tasks = entry.querySelector('vk-your-tasks')
    await tasks?.updateComplete
    if (entry.isConnected) follow(tasks?.isConnected ? tasks.store : null)
  }
  entry.addController({ hostUpdated: () => void look(), hostDisconnected: () => follow(null) })
  return {
    get count() {
      return store?.$state.get().tasks.length ?? 0
    },
  }
}

/**
 * Renders the button that leads to the tasks. Only a narrow screen shows it: there, they are below everything else. Without a task, it
 * keeps its place, so that nothing moves when a task appears.
 */
export const taskButton = ({ count }: ShownTasks): TemplateResult =>
  html`<button class="button quiet small to-tasks ${count === 0 ? 'waiting' : ''}" @click=${showTasks}>
    ${count > 1 ? `${count} tasks` : 'Your task'}
  </button>`

function showTasks({ currentTarget }: Event): void {
  const entry = (currentTarget as Element).closest('demo-entry')
  const tasks = entry?.querySelector('vk-your-tasks')
  if (!entry || !tasks) return
  tasks.tabIndex = -1
  tasks.focus()
  // Sections that load above the tasks must not move them away, until the user goes on.
  const growing = new ResizeObserver(() => tasks.scrollIntoView({ block: 'nearest' }))
  growing.observe(entry)
  for (const event of ['focusout', 'wheel', 'touchmove'])
    entry.addEventListener(event, () => growing.disconnect(), { once: true, passive: true })
}
