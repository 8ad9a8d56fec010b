import * as client from '@vertical-kit/ui-client'
import * as elements from '@vertical-kit/ui-client/elements'
import * as administrationElements from '@vertical-kit/ui-client/elements/administration'
import packageJson from '@vertical-kit/ui-client/package.json' with { type: 'json' }
import * as stores from '@vertical-kit/ui-client/stores'
import * as administrationStores from '@vertical-kit/ui-client/stores/administration'
import * as uppy from '@vertical-kit/ui-client/uppy'
import { expect, test } from 'vitest'

test('the package exports exactly these names', () => {
  expect(Object.keys(packageJson.exports)).toEqual([
    '.',
    './stores',
    './elements',
    './elements/administration',
    './elements/attachments',
    './elements/audit-timeline',
    './elements/document-actions',
    './elements/feedback',
    './elements/live-object',
    './elements/notes',
    './elements/preferences',
    './elements/team',
    './elements/work-center',
    './stores/administration',
    './uppy',
    './locales/en',
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
    'feedbackStore',
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
    'uploadsStore',
    'watchStore',
    'workCenterStore',
    'workCenterTabs',
  ])
  expect(Object.keys(elements).toSorted()).toEqual([
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
    'Toasts',
    'UploadsNotice',
    'WorkCenter',
    'WorkCenterBadge',
    'YourTasks',
    'defineAttachmentsElements',
    'defineAuditTimelineElements',
    'defineDocumentActionsElements',
    'defineElements',
    'defineFeedbackElements',
    'defineLiveObjectElements',
    'defineNotesElements',
    'definePreferencesElements',
    'defineTeamElements',
    'defineWorkCenterElements',
    'setTexts',
  ])
  expect(Object.keys(administrationElements).toSorted()).toEqual([
    'OutboxPanel',
    'RolesPanel',
    'StatusPanel',
    'UsersPanel',
    'defineAdministrationElements',
  ])
  expect(Object.keys(administrationStores).toSorted()).toEqual([
    'applyChange',
    'invitationRow',
    'outboxStore',
    'permissionChange',
    'rolesStore',
    'systemStatusStore',
    'usersStore',
  ])
  expect(Object.keys(uppy).toSorted()).toEqual(['completeUppyUploads', 'uppyAwsS3Options'])
})
