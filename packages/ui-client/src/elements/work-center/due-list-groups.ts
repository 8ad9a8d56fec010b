import { dueGroupOf, dueGroups } from '../../stores/work-center-due-groups.ts'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import type { ListGroup } from '../parts/list-body.ts'
import type { TextsOf } from '../texts.ts'

/** Groups rows by their due dates. Empty groups have no heading. */
export function dueListGroups(
  items: readonly WorkCenterItem[],
  { groups }: TextsOf<'workCenter'>['workCenter'],
): readonly ListGroup<WorkCenterItem>[] {
  const now = new Date()
  const grouped = Map.groupBy(items, (item) => dueGroupOf(item, now))
  return dueGroups.flatMap((group) => {
    const rows = grouped.get(group)
    return rows === undefined ? [] : [{ heading: groups[group], items: rows }]
  })
}
