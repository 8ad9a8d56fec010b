import { CoreError, isKitError } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import { problemDetails } from '@vertical-kit/core-audit/http'
import { testCaller } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'
import { createTypeRegistry } from '../../src/actions/registry.ts'
import { executeBatch } from '../../src/commands/execute-batch.ts'
import { aCommand, aType } from '../definitions.ts'
import { outcomesOf } from '../harness.ts'

const type = createTypeRegistry({ types: [aType([aCommand()])], navigationTargets: [] }).get('shop.thing')

test('after its time limit, a batch starts no further document and reports the remaining ones as unavailable', async () => {
  const action = type?.actions.get('shop.do')
  if (action === undefined) throw new Error('The action does not exist')
  const limit = new AbortController()
  const item = (id: string, onRequest: () => void = () => {}) => ({
    id,
    request(): never {
      onRequest()
      throw new CoreError('internal')
    },
  })
  const described: unknown[] = []
  const results = await executeBatch({} as Database, {
    ...{ action, caller: testCaller([action.permission]), reason: null, signal: limit.signal },
    items: [item('1'), item('2', () => limit.abort()), item('3'), item('4')],
    problemOf(error) {
      described.push(error)
      if (!isKitError(error)) throw error
      return problemDetails(error, 'request')
    },
  })
  expect(outcomesOf(results)).toEqual([
    ...['500 internal', '500 internal'],
    ...['503 service.unavailable', '503 service.unavailable'],
  ])
  // The limit is reported once, not for each document.
  expect(described).toHaveLength(3)
})
