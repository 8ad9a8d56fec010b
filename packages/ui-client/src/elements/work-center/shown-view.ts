import type { WorkCenterFilters } from '../../stores/work-center-lists.ts'
import type { Sort, Tab } from '../../wire/work-center.ts'

/** The selected tab, order and filters of a Work Center. A page can store them in its URL. */
export interface ShownView {
  readonly tab: Tab
  readonly sort: Sort
  readonly filters: WorkCenterFilters
}
