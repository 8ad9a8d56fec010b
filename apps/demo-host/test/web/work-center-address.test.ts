import { expect, test } from 'vitest'
import { pathOfWorkCenter, workCenterView } from '../../web/work-center-address.ts'

test('the path of a view restores the view', () => {
  const view = {
    tab: 'tasks',
    sort: 'due',
    filters: {
      q: 'a & b',
      definition: 'trade.collect_payment',
      priority: 'High',
      overdue: true,
      unread: true,
    },
  } as const
  const path = pathOfWorkCenter(view)
  expect(workCenterView(new URL(path, 'http://page.example').search)).toEqual(view)
})

test('the default view has no query, and a query with unknown names and values is the default view', () => {
  const view = { tab: 'attention', sort: 'newest', filters: {} } as const
  expect(pathOfWorkCenter(view)).toBe('/work-center')
  expect(workCenterView('')).toEqual(view)
  expect(workCenterView('?tab=constructor&sort=1&priority=high&overdue=yes&q=&vertical=x')).toEqual(view)
})
