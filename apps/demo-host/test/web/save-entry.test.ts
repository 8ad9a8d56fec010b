import { KitError } from '@vertical-kit/ui-client'
import { expect, test } from 'vitest'
import { mayHaveSucceeded } from '../../web/data/save-entry.ts'

test.each([
  ['client.unreachable', 0, true],
  ['internal', 500, true],
  ['service.unavailable', 503, true],
  ['auth.required', 401, true],
  ['document_action.in_progress', 409, true],
  ['document_action.unavailable', 409, false],
  ['documents.version_conflict', 409, false],
  ['permission.denied', 403, false],
])('after %s (%i), it is %s that a write may have succeeded', (code, status, expected) => {
  expect(mayHaveSucceeded(new KitError({ code, status }))).toBe(expected)
})
