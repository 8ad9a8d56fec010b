import type { DocumentState } from '@vertical-kit/document-actions'
import {
  type ActionDefinition,
  type Fields,
  type LifecycleCode,
  type LifecycleSteps,
  lifecycleCodes,
} from '@vertical-kit/document-actions'
import { type DocumentStatus, documentStatuses } from '@vertical-kit/document-actions/contract'
import { describe, expect, test } from 'vitest'
import { aDocument, make } from '../definitions.ts'

const allSteps: LifecycleSteps<Fields, unknown> = Object.fromEntries(lifecycleCodes.map((code) => [code, {}]))

/** Returns one step with the additions of the vertical. */
function stepOf(code: LifecycleCode, own: LifecycleSteps<Fields, unknown> = allSteps): ActionDefinition {
  const step = make.lifecycle(own).find((action) => action.code === code)
  if (step === undefined) throw new Error(`there is no ${code}`)
  return step
}

const reasonsOf = (step: ActionDefinition, status: DocumentStatus) =>
  step.disabledReasons?.(undefined, aDocument({ status }))?.map(({ code }) => code)

/** The reason code of each step in each status. `null` means that the step is allowed. */
const table: Readonly<Record<LifecycleCode, Readonly<Record<DocumentStatus, string | null>>>> = {
  post: {
    Draft: null,
    Posted: 'document.already_posted',
    MarkedForDeletion: 'document.marked_for_deletion',
  },
  unpost: {
    Draft: 'document.not_posted',
    Posted: null,
    MarkedForDeletion: 'document.marked_for_deletion',
  },
  repost: {
    Draft: 'document.not_posted',
    Posted: null,
    MarkedForDeletion: 'document.marked_for_deletion',
  },
  mark_for_deletion: {
    Draft: null,
    Posted: 'document.posted',
    MarkedForDeletion: 'document.marked_for_deletion',
  },
  unmark_for_deletion: {
    Draft: 'document.not_marked_for_deletion',
    Posted: 'document.not_marked_for_deletion',
    MarkedForDeletion: null,
  },
}

describe.each(lifecycleCodes)('%s', (code) => {
  test.each(documentStatuses)('has the expected reasons for a %s document', (status) => {
    const reason = table[code][status]
    expect(reasonsOf(stepOf(code), status)).toEqual(reason === null ? [] : [reason])
  })
})

test.each<[LifecycleCode, DocumentStatus]>([
  ['post', 'Posted'],
  ['unpost', 'Draft'],
  ['repost', 'Posted'],
  ['mark_for_deletion', 'MarkedForDeletion'],
  ['unmark_for_deletion', 'Draft'],
])('%s sets the status %s, regardless of the result of its handler', async (code, status) => {
  const changes = [{ fieldPath: 'balance', oldValue: '0', newValue: '1' }]
  const outcomes = [undefined, { changes, fields: { a: 1 } }, { status: 'Elsewhere' }]
  for (const outcome of outcomes) {
    const own = { [code]: { handle: async () => outcome } } as LifecycleSteps<Fields, unknown>
    const step = stepOf(code, own)
    if (step.executionKind !== 'Command') throw new Error('not a command')
    expect(await step.handle({} as never, {} as never)).toEqual({ ...outcome, status })
  }
})

test('a type has only the steps that it lists, in lifecycle order', () => {
  const codes = (own: LifecycleSteps<Fields, unknown>) => make.lifecycle(own).map(({ code }) => code)
  expect(codes({})).toEqual([])
  expect(codes({ unpost: {}, post: {} })).toEqual(['post', 'unpost'])
  expect(codes(allSteps)).toEqual(lifecycleCodes)
})

test('marking and unmarking share a permission; all other steps have separate permissions', () => {
  const permissions = make.lifecycle(allSteps).map((step) => 'permission' in step && step.permission)
  expect(permissions).toEqual(['post', 'unpost', 'repost', 'mark_for_deletion', 'mark_for_deletion'])
})

test('only unpost, repost and mark_for_deletion require a confirmation', () => {
  const modes = make.lifecycle(allSteps).map(({ confirmation }) => confirmation?.mode)
  expect(modes).toEqual([undefined, 'Confirm', 'Confirm', 'Confirm', undefined])
})

test('the reasons of the vertical use its facts and apply only if the status allows the step', () => {
  const asked: unknown[] = []
  const own = {
    post: {
      disabledReasons(facts: unknown, document: DocumentState) {
        asked.push([facts, document.status])
        return [{ code: 'shop.empty', message: 'Add a line first.' }]
      },
    },
  }
  const step = stepOf('post', own)
  const reasons = documentStatuses.map((status) => step.disabledReasons?.('facts', aDocument({ status })))
  expect(reasons.map((each) => each?.map(({ code }) => code))).toEqual([
    ['shop.empty'],
    ['document.already_posted'],
    ['document.marked_for_deletion'],
  ])
  expect(asked).toEqual([['facts', 'Draft']])
})

test('every reason has a message', () => {
  for (const step of make.lifecycle(allSteps)) {
    for (const status of documentStatuses) {
      for (const reason of step.disabledReasons?.(undefined, aDocument({ status })) ?? []) {
        expect(reason.message).toMatch(/\w.*\.$/)
      }
    }
  }
})

test('a remedy is an action of the type', () => {
  const remedyOf = (own: Parameters<typeof stepOf>[1]) =>
    stepOf('mark_for_deletion', own).disabledReasons?.(undefined, aDocument({ status: 'Posted' }))[0]?.remedy
  expect(remedyOf({ mark_for_deletion: {}, unpost: {} })).toMatchObject({ actionCode: 'unpost' })
  expect(remedyOf({ mark_for_deletion: {} })).toBeNull()
})
