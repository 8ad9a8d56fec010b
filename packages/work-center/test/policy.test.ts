import { isKitError } from '@vertical-kit/core-audit'
import { describe, expect, test } from 'vitest'
import { type TaskStatus, taskStatuses } from '../src/contract.ts'
import { checkPreferences, decideClaim, decideRelease, isEnabledBy, isFor } from '../src/policy.ts'
import { auditorsOnly, collectPayment, definitions, digest, settled, writtenOff } from './definitions.ts'

/** Returns a decision, or the code of its refusal. */
const outcomeOf = (decision: unknown): unknown => (isKitError(decision) ? decision.code : decision)

/** Returns the code of a thrown refusal. */
function refusalBy(check: () => void): unknown {
  try {
    return check()
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
    'for %s returns the expected decision or code',
    (_what, status, assignedRoleId, claimedByUserId, expectedVersion, outcome) => {
      const task = { status, version: 3, assignedRoleId, claimedByUserId }
      expect(outcomeOf(decideClaim(task, { userId: me, expectedVersion }))).toBe(outcome)
    },
  )

  test('succeeds only if the status of the task is Open', () => {
    const task = { version: 1, assignedRoleId: role, claimedByUserId: null }
    const claimable = taskStatuses.filter(
      (status) => decideClaim({ ...task, status }, { userId: me, expectedVersion: 1 }) === 'claim',
    )
    expect(claimable).toEqual(['Open'])
  })
})

describe('a release', () => {
  const [me, other, assignedRoleId] = ['me', 'other', 'role']
  const [hidden, unclaimed] = ['work_center.item_not_found', 'work_center.not_claimed']
  const conflict = 'work_center.task_claim_conflict'

  test.each<[string, TaskStatus, string | null, number, string, string]>([
    ['the claimer of the task', 'InProgress', me, 3, 'release', 'release'],
    ['the claimer, at another version', 'InProgress', me, 2, conflict, conflict],
    ['the former claimer of a completed task', 'Completed', me, 3, unclaimed, unclaimed],
    ['a recipient of an unclaimed task', 'Open', null, 3, unclaimed, unclaimed],
    ['a recipient, at another version', 'Open', null, 2, unclaimed, unclaimed],
    ['a recipient of a task that another user claimed', 'InProgress', other, 3, hidden, 'release'],
    ['a recipient, at another version of it', 'InProgress', other, 2, hidden, conflict],
    ['a recipient of a task that another user completed', 'Completed', other, 3, hidden, unclaimed],
  ])(
    'by %s has the expected outcome, also if they supervise it',
    (_who, status, claimer, version, own, supervised) => {
      const task = { status, version: 3, assignedRoleId, claimedByUserId: claimer }
      const request = { userId: me, expectedVersion: version }
      expect(outcomeOf(decideRelease(task, { ...request, isSupervisor: false }))).toBe(own)
      expect(outcomeOf(decideRelease(task, { ...request, isSupervisor: true }))).toBe(supervised)
    },
  )

  test('of a task that the user has not received is refused as not found', () => {
    const request = { userId: me, expectedVersion: 1, isSupervisor: false }
    expect(outcomeOf(decideRelease(undefined, request))).toBe(hidden)
    expect(outcomeOf(decideClaim(undefined, request))).toBe(hidden)
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
    expect(isEnabledBy(definition, 'InApp', choice)).toBe(isEnabled)
  })
})

describe('a change of preferences', () => {
  const roles = ['trade.clerk']
  const change = (code: string, isEnabled: boolean, channel = 'InApp') => ({ code, channel, isEnabled })
  const check = (...changes: readonly ReturnType<typeof change>[]) =>
    refusalBy(() => checkPreferences(definitions, roles, changes))

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
