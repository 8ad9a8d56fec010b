import { auditSealingDefaults, readAuditSealingConfig } from '@vertical-kit/core-audit/audit'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import { configurationProblems } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'

test('an empty environment selects the defaults', () => {
  expect(readConfiguration({}, readAuditSealingConfig)).toEqual(auditSealingDefaults)
})

test('the keys set the options', () => {
  const environment = {
    Audit__SealDelay: '00:00:00',
    Audit__SealInterval: '00:00:01',
    Audit__AnchorInterval: '1.00:00:00',
  }
  expect(readConfiguration(environment, readAuditSealingConfig)).toEqual({
    delayMs: 0,
    intervalMs: 1_000,
    anchorIntervalMs: 86_400_000,
  })
})

test('values out of bounds and unknown keys are problems', () => {
  const environment = {
    Audit__SealDelay: '01:00:01',
    Audit__SealInterval: '00:00:00',
    Audit__AnchorInterval: '1.00:00:01',
    Audit__SealDelai: '00:00:01',
  }
  expect(configurationProblems(() => readConfiguration(environment, readAuditSealingConfig))).toEqual([
    'Audit__SealDelay: expected a duration [d.]hh:mm:ss from 00:00:00 to 01:00:00',
    'Audit__SealInterval: expected a duration [d.]hh:mm:ss from 00:00:01 to 01:00:00',
    'Audit__AnchorInterval: expected a duration [d.]hh:mm:ss from 00:00:01 to 1.00:00:00',
    'Audit__SealDelai: unknown key',
  ])
})
