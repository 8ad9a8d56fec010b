import { expect, test } from 'vitest'
import { checkDefinitions } from '../src/definitions/check-definitions.ts'
import {
  approve,
  auditorsOnly,
  collectPayment,
  definitions,
  digest,
  settled,
  writtenOff,
} from './definitions.ts'

test('valid definitions cause no error', () => {
  expect(() => checkDefinitions(definitions)).not.toThrow()
  expect(() => checkDefinitions([])).not.toThrow()
})

test('one error reports all problems of the definitions', () => {
  const broken = [
    collectPayment,
    { ...collectPayment, roleCodes: [] },
    { ...settled, code: 'Trade', displayName: ' ', retentionMs: 0.5 },
    { ...digest, userCanDisable: false },
    { ...writtenOff, isForAllRoles: true },
  ]
  expect(() => checkDefinitions(broken)).toThrow(
    new TypeError(
      [
        'These definitions cannot be used:',
        'trade.collect_payment is defined twice',
        'trade.collect_payment: it lists no role',
        'Trade: the code must be lower-case words separated by dots',
        'Trade: the display name is blank',
        'Trade: the retention must be a positive whole number of milliseconds',
        'trade.digest: it is off by default and users cannot switch it on, so it would have no recipients',
        `${writtenOff.code}: it is for all roles, so it must list none`,
      ].join('\n'),
    ),
  )
})

test('one error reports all problems of reminders and escalations', () => {
  const broken = {
    ...collectPayment,
    reminder: { notification: writtenOff, beforeDueMs: 0 },
    escalation: { notification: { ...digest, code: 'trade.unknown' }, afterDueMs: -1 },
  }
  const auditing = { ...approve, reminder: { notification: auditorsOnly, beforeDueMs: 1 } }
  expect(() => checkDefinitions([broken, auditing, writtenOff, auditorsOnly])).toThrow(
    new TypeError(
      [
        'These definitions cannot be used:',
        'trade.collect_payment: the notification of its escalation is not among the definitions',
        'trade.collect_payment: beforeDueMs of its reminder must be a positive whole number of milliseconds',
        'trade.collect_payment: afterDueMs of its escalation must be a whole number of milliseconds, at least 0',
        'trade.approve: the notification of its reminder does not list all of its roles',
      ].join('\n'),
    ),
  )
})
