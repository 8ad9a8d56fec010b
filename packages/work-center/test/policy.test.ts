import { isKitError } from '@vertical-kit/core-audit'
import { describe, expect, test } from 'vitest'
import { type TaskStatus, taskStatuses } from '../src/contract.ts'
import { checkPreferences, decideClaim, isEnabledBy, isFor } from '../src/policy.ts'
import { auditorsOnly, collectPayment, definitions, digest, settled, writtenOff } from './definitions.ts'

/** Returns the result of a decision, or the code of its refusal. */
function outcomeOf(decide: () => unknown): unknown {
  try {
    return decide()
  } catch (error) {
    if (!isKitError(error)) throw error
    return error.code
  }
}

describe('a claim', () => {
  const [me, other, role] = ['me', 'other', 'role']
  const conflict = 'work_center.task_claim_conflict'

  test.each<[string, TaskStatus, string | null, string | null, number, string]>([
    ['an open task of a role', 'Open', role, null, 3, 'claim'],
    ['a task with a higher version than expected', 'Open', role, null, 2, conflict],
    ['a task with a lower version than expected', 'Open', role, null, 4, conflict],
    ['a task assigned to one user', 'Open', null, null, 3, conflict],
    ['a task in progress that another user claimed', 'InProgress', role, other, 3, conflict],
    ['an open task with another claimer', 'Open', role, other, 3, conflict],
    ['a task that the caller has claimed', 'InProgress', role, me, 3, 'already-claimed'],
    ['an older version of a task that the caller has claimed', 'InProgress', role, me, 2, 'already-claimed'],
    ['a completed task that the caller had claimed', 'Completed', role, me, 3, 'already-claimed'],
    ['a completed task that another user had claimed', 'Completed', role, other, 3, conflict],
  ])(
    'for %s returns the expected decision or throws the expected code',
    (_what, status, assignedRoleId, claimedByUserId, expectedVersion, outcome) => {
      const task = { status, version: 3, assignedRoleId, claimedByUserId }
      expect(outcomeOf(() => decideClaim(task, { userId: me, expectedVersion }))).toBe(outcome)
    },
  )

  test('succeeds only if the status of the task is Open', () => {
    const task = { version: 1, assignedRoleId: role, claimedByUserId: null }
    const claimable = taskStatuses.filter(
      (status) =>
        outcomeOf(() => decideClaim({ ...task, status }, { userId: me, expectedVersion: 1 })) === 'claim',
    )
    expect(claimable).toEqual(['Open'])
  })
})

describe('a definition', () => {
  test('applies only to users with one of its roles', () => {
    expect(isFor(settled, ['trade.clerk'])).toBe(true)
    expect(isFor(settled, ['x', 'trade.auditor'])).toBe(true)
    expect(isFor(settled, ['trade.manager', 'trade.clerks', 'TRADE.CLERK'])).toBe(false)
    expect(isFor(settled, [])).toBe(false)
  })

  test.each([
    ['on by default', collectPayment, undefined, true],
    ['on by default and switched off', collectPayment, { isEnabled: false }, false],
    ['off by default', digest, undefined, false],
    ['off by default and switched on', digest, { isEnabled: true }, true],
    ['mandatory', writtenOff, undefined, true],
    ['mandatory with a stored choice to switch it off', writtenOff, { isEnabled: false }, true],
  ])('that is %s is enabled as expected', (_title, definition, choice, isEnabled) => {
    expect(isEnabledBy(definition, choice)).toBe(isEnabled)
  })
})

describe('a change of preferences', () => {
  const roles = ['trade.clerk']
  const change = (code: string, isEnabled: boolean, channel = 'InApp') => ({ code, channel, isEnabled })
  const check = (...changes: readonly ReturnType<typeof change>[]) =>
    outcomeOf(() => checkPreferences(definitions, roles, changes))

  test('is accepted if all preferences are known and applicable, and no mandatory preference is switched off', () => {
    expect(check()).toBeUndefined()
    expect(check(change(settled.code, false), change(digest.code, true))).toBeUndefined()
    expect(check(change(writtenOff.code, true))).toBeUndefined()
  })

  test('with several problems throws for unknown preferences first, and for mandatory preferences last', () => {
    const wrong = [
      change(writtenOff.code, false),
      change(auditorsOnly.code, false),
      change('constructor', true),
    ] as const
    expect(check(...wrong)).toBe('work_center.preference_unknown')
    expect(check(wrong[0], wrong[1])).toBe('work_center.preference_not_applicable')
    expect(check(wrong[0])).toBe('work_center.preference_mandatory')
    expect(check(change(digest.code, true, 'Email'))).toBe('work_center.preference_unknown')
  })
})
