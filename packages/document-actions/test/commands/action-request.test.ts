import { newId } from '@vertical-kit/core-audit'
import { testCaller } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'
import { createTypeRegistry } from '../../src/actions/registry.ts'
import { type ActionRequest, checkUnlocked } from '../../src/commands/action-request.ts'
import { aCommand, aDocument, aType } from '../definitions.ts'

const types = createTypeRegistry({ types: [aType([aCommand()])], navigationTargets: [] })
const type = types.get('shop.thing')

/** Checks a request for version 1 of a document with version 2. */
function check(userId: string | null): unknown {
  const action = type?.actions.get('shop.do')
  if (type === undefined || action === undefined) throw new Error('The action does not exist')
  const request: ActionRequest = {
    ...{ executionId: newId(), type, types, action, id: newId(), body: { expectedVersion: 1 } },
    caller: testCaller([type.viewPermission, action.permission], { userId }),
    actor: () => Promise.reject(new Error('The check reads no record')),
    callerNow: () => Promise.reject(new Error('The check reads no rights')),
  }
  const times = { createdAtUtc: '', updatedAtUtc: '' }
  return checkUnlocked(request, { ...aDocument({ version: 2 }), ...times })
}

test('an outdated version is refused before the lock, except for a caller without a record', () => {
  expect(() => check(newId())).toThrow(expect.objectContaining({ code: 'documents.version_conflict' }))
  expect(check(null)).toEqual({ payload: undefined, reason: null })
})
