import { html, nothing, type TemplateResult } from 'lit'
import { workCenterTabs } from '../../stores/work-center-lists.ts'
import type { Tab, WorkCenterSummary } from '../../wire/work-center.ts'
import type { TextsOf } from '../texts.ts'

/** The count of each tab in the summary. Null for a tab without a count. */
const counts: Readonly<Record<Tab, keyof WorkCenterSummary | null>> = {
  attention: 'attentionCount',
  tasks: 'openTaskCount',
  notifications: 'notificationCount',
  completed: null,
}

export interface TabBar {
  readonly selected: Tab
  readonly summary: WorkCenterSummary | null
  readonly texts: TextsOf<'workCenter'>['workCenter']
  select(tab: Tab): void
}

/** Renders the tabs. Arrow keys, Home and End select a tab (WAI-ARIA tabs pattern with automatic activation). */
export function tabBar({ selected, summary, texts, select }: TabBar): TemplateResult {
  const move = (event: KeyboardEvent) => {
    // Alt and Cmd with an arrow go back and forward.
    if (event.altKey || event.metaKey) return
    const bar = event.currentTarget as HTMLElement
    // Right to left, the next tab is on the left.
    const step = bar.matches(':dir(rtl)') ? -1 : 1
    const to = destination(event.key, workCenterTabs.indexOf(selected), step)
    const tab = workCenterTabs.at(to ?? 0)
    if (to === null || tab === undefined) return
    event.preventDefault()
    select(tab)
    bar.querySelector<HTMLElement>(`#tab-${tab}`)?.focus()
  }
  return html`<div part="tabs" role="tablist" aria-label=${texts.title} @keydown=${move}>
    ${workCenterTabs.map((tab) => {
      const count = counts[tab] && (summary?.[counts[tab]] ?? '')
      return html`<button
        part="tab"
        role="tab"
        id="tab-${tab}"
        aria-controls="panel"
        aria-selected=${tab === selected}
        tabindex=${tab === selected ? 0 : -1}
        @click=${() => select(tab)}
      >
        ${texts.tabs[tab]} ${count === null ? nothing : html`<span part="count" class="count">${count}</span>`}
      </button>`
    })}
  </div>`
}

/** Returns the index of the tab that a key selects. -1 is the last tab. Null means that the key selects no tab. */
function destination(key: string, index: number, step: number): number | null {
  const count = workCenterTabs.length
  switch (key) {
    case 'ArrowRight':
      return (index + step + count) % count
    case 'ArrowLeft':
      return (index - step + count) % count
    case 'Home':
      return 0
    case 'End':
      return -1
    default:
      return null
  }
}
