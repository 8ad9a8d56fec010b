import { SpanStatusCode } from '@opentelemetry/api'
import { CoreError } from '@vertical-kit/core-audit'
import { withSpan } from '@vertical-kit/core-audit/telemetry'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RecordedTelemetry, recordTelemetry } from '../../../../vitest.record-telemetry.ts'

let recorded: RecordedTelemetry
beforeAll(() => {
  recorded = recordTelemetry()
})
afterAll(() => recorded.stop())
beforeEach(() => recorded.clear())

const failed = { code: SpanStatusCode.ERROR }

test.each([
  ['a refusal', new CoreError('auth.required'), { code: SpanStatusCode.UNSET }, undefined],
  ['an unavailable service', new CoreError('service.unavailable'), failed, 'service.unavailable'],
  ['a fault', new TypeError('c4n4ry'), failed, 'TypeError'],
  ['a value with unusual text as its code', { code: 'a message: c4n4ry' }, failed, '_OTHER'],
])('work that rejects with %s ends its span with the right status', async (_, error, status, type) => {
  const work = withSpan(
    () => ({ name: 'work' }),
    () => Promise.reject(error),
  )
  await expect(work).rejects.toBe(error)
  expect(recorded.spans.map((span) => [span.status, span.attributes['error.type']])).toEqual([[status, type]])
})
