import * as workCenter from '@vertical-kit/work-center'
import { expect, test } from 'vitest'

test('the package exports these names and no others', () => {
  expect(Object.keys(workCenter).toSorted()).toEqual([
    'WorkCenterError',
    'createDefinitionRegistry',
    'createRealtime',
    'createWorkCenter',
    'defineNotification',
    'definePolicy',
    'defineTask',
    'openInbox',
    'readRealtimeConfig',
    'readWorkCenterConfig',
    'workCenterMigrations',
  ])
})
