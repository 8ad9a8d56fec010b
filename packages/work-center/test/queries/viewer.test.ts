import { testCaller } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'
import { viewerOf } from '../../src/queries/viewer.ts'

test('items are received through assigned roles only, not through roles of the token', () => {
  const roles = [
    { id: 'one', code: 'clerk', name: 'Clerk', source: 'assigned' },
    { id: 'two', code: 'viewer', name: 'Viewer', source: 'token' },
  ] as const
  expect(viewerOf(testCaller([], { roles }))).toMatchObject({ roleIds: ['one'] })
})
