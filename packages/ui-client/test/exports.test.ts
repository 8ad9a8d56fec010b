import * as client from '@vertical-kit/ui-client'
import * as elements from '@vertical-kit/ui-client/elements'
import packageJson from '@vertical-kit/ui-client/package.json' with { type: 'json' }
import * as stores from '@vertical-kit/ui-client/stores'
import * as uppy from '@vertical-kit/ui-client/uppy'
import { expect, test } from 'vitest'

test('the package exports exactly these names', () => {
  expect(Object.keys(packageJson.exports)).toEqual([
    '.',
    './stores',
    './elements',
    './uppy',
    './package.json',
  ])
  expect(Object.keys(client).toSorted()).toEqual([
    'KitError',
    'createClient',
    'isKitError',
    'isTransient',
    'newIdempotencyKey',
  ])
  expect(Object.keys(stores).toSorted()).toEqual([
    'accessStore',
    'attachmentsStore',
    'auditTimelineStore',
    'contentSummaryStore',
    'createPagedList',
    'documentActionsStore',
    'documentBatchStore',
    'documentTasksStore',
    'dueGroupOf',
    'dueGroups',
    'featuresStore',
    'liveObjectStore',
    'newNote',
    'notesStore',
    'openSession',
    'openStore',
    'outcome',
    'preferenceKey',
    'preferencesStore',
    'realtimeStore',
    'snoozePresets',
    'substitutionStore',
    'teamTasksStore',
    'watchStore',
    'workCenterStore',
    'workCenterTabs',
  ])
  expect(Object.keys(elements).toSorted()).toEqual([
    '$texts',
    'ActionsBar',
    'AttachmentsPanel',
    'AuditTimeline',
    'DocumentBatch',
    'FollowButton',
    'LiveObject',
    'NotesPanel',
    'PreferencesPanel',
    'StoreElement',
    'SubstitutionForm',
    'TakeAction',
    'TeamTasks',
    'WorkCenter',
    'WorkCenterBadge',
    'YourTasks',
    'defaultTexts',
    'defineElements',
    'setTexts',
  ])
  expect(Object.keys(uppy).toSorted()).toEqual(['completeUppyUploads', 'uppyAwsS3Options'])
})
