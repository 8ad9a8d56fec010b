import * as workCenter from '@vertical-kit/work-center'
import * as mail from '@vertical-kit/work-center/mail'
import * as schema from '@vertical-kit/work-center/schema'
import * as internal from '@vertical-kit/work-center/schema/internal'
import { expect, test } from 'vitest'

test('the package exports exactly these names', () => {
  expect(Object.keys(workCenter).toSorted()).toEqual([
    'WorkCenterError',
    'createRealtime',
    'createWorkCenter',
    'defineNotification',
    'defineTask',
    'on',
    'openInbox',
    'readRealtimeConfig',
    'readWorkCenterConfig',
    'workCenterMigrations',
  ])
})

test('the entry point of mail exports exactly these names', () => {
  expect(Object.keys(mail).toSorted()).toEqual([
    'createMail',
    'defaultMailTemplate',
    'mailDefaults',
    'mailExitCodes',
    'readMailConfig',
    'runMailCommand',
  ])
})

test('the schema exports exactly these tables', () => {
  expect(Object.keys(schema).toSorted()).toEqual([
    'notifications',
    'preferences',
    'tasks',
    'workCenterSchema',
  ])
  expect(Object.keys(internal).toSorted()).toEqual([
    'entries',
    'mailRequests',
    'mailSettings',
    'mails',
    'substitutions',
    'userVersions',
    'watchPosition',
    'watchWindows',
    'watches',
  ])
})
