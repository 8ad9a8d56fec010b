import { isKitError } from '@vertical-kit/core-audit'
import { describe, expect, test } from 'vitest'
import { type TaskStatus, taskStatuses } from '../src/contract.ts'
import { checkPreferences, decideClaim, isEnabledBy, isFor } from '../src/policy.ts'
import { auditorsOnly, collectPayment, definitions, digest, settled, writtenOff } from './definitions.ts'

/** What a decision comes to: its answer, or the code it refuses with. */
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
    ['one that changed since', 'Open', role, null, 2, conflict],
    ['one that has not changed so far yet', 'Open', role, null, 4, conflict],
    ['one of a single user', 'Open', null, null, 3, conflict],
    ['one that others have', 'InProgress', role, other, 3, conflict],
    ['one that others have, as it says', 'Open', role, other, 3, conflict],
    ['one that is mine already', 'InProgress', role, me, 3, 'already-claimed'],
    ['one that is mine already, seen before that', 'InProgress', role, me, 2, 'already-claimed'],
    ['one that is mine and done', 'Completed', role, me, 3, 'already-claimed'],
    ['one that others have done', 'Completed', role, other, 3, conflict],
  ])(
    'of %s comes to what it must',
    (_what, status, assignedRoleId, claimedByUserId, expectedVersion, outcome) => {
      const task = { status, version: 3, assignedRoleId, claimedByUserId }
      expect(outcomeOf(() => decideClaim(task, { userId: me, expectedVersion }))).toBe(outcome)
    },
  )

  test('takes nothing but open tasks', () => {
    const task = { version: 1, assignedRoleId: role, claimedByUserId: null }
    const claimable = taskStatuses.filter(
      (status) =>
        outcomeOf(() => decideClaim({ ...task, status }, { userId: me, expectedVersion: 1 })) === 'claim',
    )
    expect(claimable).toEqual(['Open'])
  })
})

describe('a definition', () => {
  test('is for who has one of its roles', () => {
    expect(isFor(settled, ['trade.clerk'])).toBe(true)
    expect(isFor(settled, ['x', 'trade.auditor'])).toBe(true)
    expect(isFor(settled, ['trade.manager', 'trade.clerks', 'TRADE.CLERK'])).toBe(false)
    expect(isFor(settled, [])).toBe(false)
  })

  test.each([
    ['on from the start', collectPayment, undefined, true],
    ['on from the start, switched off', collectPayment, { isEnabled: false }, false],
    ['off from the start', digest, undefined, false],
    ['off from the start, switched on', digest, { isEnabled: true }, true],
    ['mandatory', writtenOff, undefined, true],
    ['mandatory, once switched off', writtenOff, { isEnabled: false }, true],
  ])('that is %s is enabled or not', (_what, definition, choice, isEnabled) => {
    expect(isEnabledBy(definition, choice)).toBe(isEnabled)
  })
})

describe('a change of preferences', () => {
  const roles = ['trade.clerk']
  const change = (code: string, isEnabled: boolean, channel = 'InApp') => ({ code, channel, isEnabled })
  const check = (...changes: readonly ReturnType<typeof change>[]) =>
    outcomeOf(() => checkPreferences(definitions, roles, changes))

  test('of what is known, for the roles and free to be switched passes', () => {
    expect(check()).toBeUndefined()
    expect(check(change(settled.code, false), change(digest.code, true))).toBeUndefined()
    expect(check(change(writtenOff.code, true))).toBeUndefined()
  })

  test('is refused for the first thing that is wrong, in the order unknown, not applicable, mandatory', () => {
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
