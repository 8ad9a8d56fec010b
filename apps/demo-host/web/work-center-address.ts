import type { Priority, Severity, Sort } from '@vertical-kit/ui-client'
import type { ShownView } from '@vertical-kit/ui-client/elements'
import { type WorkCenterFilters, workCenterTabs } from '@vertical-kit/ui-client/stores'

const sorts: readonly Sort[] = ['newest', 'due', 'priority']
const priorities: readonly Priority[] = ['Low', 'Normal', 'High', 'Critical']
const severities: readonly Severity[] = ['Information', 'Success', 'Warning', 'Critical']

/** Returns the page's path for what the Work Center shows. The default view has no query. */
export function pathOfWorkCenter({ tab, sort, filters }: ShownView): string {
  const query = new URLSearchParams()
  if (tab !== 'attention') query.set('tab', tab)
  if (sort !== 'newest') query.set('sort', sort)
  for (const [name, value] of Object.entries(filters)) query.set(name, String(value))
  return query.size === 0 ? '/work-center' : `/work-center?${query}`
}

/** Reads what the Work Center shows from the query of its path. Ignores unknown names and values. */
export function workCenterView(search: string): ShownView {
  const query = new URLSearchParams(search)
  const one = <T extends string>(name: string, values: readonly T[]): T | undefined =>
    values.find((value) => value === query.get(name))
  const text = (name: string) => query.get(name)?.slice(0, 200) || undefined
  const filters = {
    q: text('q'),
    definition: text('definition'),
    priority: one('priority', priorities),
    severity: one('severity', severities),
    overdue: query.get('overdue') === 'true' || undefined,
    unread: query.get('unread') === 'true' || undefined,
  }
  return {
    tab: one('tab', workCenterTabs) ?? 'attention',
    sort: one('sort', sorts) ?? 'newest',
    filters: Object.fromEntries(
      Object.entries(filters).filter(([, value]) => value !== undefined),
    ) as WorkCenterFilters,
  }
}
