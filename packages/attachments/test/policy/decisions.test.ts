import { newId } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import { expect, test } from 'vitest'
import {
  checkAuditDownload,
  checkDeletion,
  checkDownload,
  checkStaged,
  decideCompletion,
  normalizeDeclaration,
} from '../../src/policy.ts'
import { readTestConfig } from '../harness.ts'

const config = readTestConfig({ store: null, environment: { Attachments__MaxSizeBytes: '1000' } })
const declared = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 5 }
const staged = { etag: 'e', sizeBytes: 5, contentType: 'text/plain' }

test.each([0, 1, 1000])('a file of %d bytes is accepted if the maximum is 1000 bytes', (sizeBytes) => {
  expect(normalizeDeclaration({ ...declared, sizeBytes }, config)).toEqual({ ...declared, sizeBytes })
})

test.each([-1, 1001, 1e300])('a file of %d bytes is rejected if the maximum is 1000 bytes', (sizeBytes) => {
  expect(() => normalizeDeclaration({ ...declared, sizeBytes }, config)).toThrow(
    expect.objectContaining({ code: 'attachments.file_too_large', context: { maxSizeBytes: 1000 } }),
  )
})

test.each([
  ['pending', false, 'complete'],
  ['scanning', true, 'already-complete'],
  ['ready', false, 'already-complete'],
  ['ready', true, 'already-complete'],
] as const)('for status %s and isExpired %s, decideCompletion returns %s', (status, isExpired, decision) => {
  expect(decideCompletion({ status, isExpired })).toBe(decision)
})

test.each([
  ['pending', true, 'attachments.upload_expired'],
  ['quarantined', true, 'attachments.quarantined'],
  ['deleted', false, 'attachments.deleted'],
  ['deleted', true, 'attachments.deleted'],
] as const)('for status %s and isExpired %s, decideCompletion throws %s', (status, isExpired, code) => {
  expect(() => decideCompletion({ status, isExpired })).toThrow(expect.objectContaining({ code }))
})

test.each([
  ['matches the declaration', staged],
  [
    'differs only by parameters and upper case in its content type',
    { ...staged, contentType: 'Text/Plain; charset=utf-8' },
  ],
])('an uploaded object that %s is accepted', (_how, object) => {
  expect(checkStaged(declared, object)).toBe(object)
})

test.each([
  ['is missing', null, 'attachments.upload_missing'],
  ['is shorter than declared', { ...staged, sizeBytes: 4 }, 'attachments.size_mismatch'],
  ['is longer than declared', { ...staged, sizeBytes: 6 }, 'attachments.size_mismatch'],
  ['has another content type', { ...staged, contentType: 'text/html' }, 'attachments.content_type_mismatch'],
  ['has no content type', { ...staged, contentType: '' }, 'attachments.content_type_mismatch'],
])('an uploaded object that %s is rejected', (_how, object, code) => {
  expect(() => checkStaged(declared, object)).toThrow(expect.objectContaining({ code }))
})

test.each([
  ['pending', 'attachments.not_ready'],
  ['scanning', 'attachments.not_ready'],
  ['quarantined', 'attachments.quarantined'],
  ['deleted', 'attachments.deleted'],
] as const)('the download of a %s attachment is rejected with %s', (status, code) => {
  expect(() => checkDownload({ status })).toThrow(expect.objectContaining({ code }))
})

const author = newId()
const pending = { createdByUserId: author, completedAtUtc: null }
const completed = { createdByUserId: author, completedAtUtc: '2026-01-01T00:00:00.000Z' }
const create = 'system.attachments.create'
const remove = 'system.attachments.delete'

test.each([
  ['the create permission', 'their own upload', pending, { userId: author, permissions: [create] }],
  ['the delete permission', 'their own upload', pending, { userId: author, permissions: [remove] }],
  ['the delete permission', "another user's upload", pending, { userId: newId(), permissions: [remove] }],
  ['the delete permission', 'their own file', completed, { userId: author, permissions: [remove] }],
  ['the delete permission', "another user's file", completed, { userId: newId(), permissions: [remove] }],
  ['all permissions', "another user's file", completed, { userId: null, isAdministrator: true }],
])('a user with %s may delete %s', (_right, _what, attachment, caller) => {
  expect(() => checkDeletion(callerWith(caller), attachment)).not.toThrow()
})

test.each([
  ['no permission', 'their own upload', pending, { userId: author, permissions: [] }],
  ['the create permission', "another user's upload", pending, { userId: newId(), permissions: [create] }],
  ['no user record', 'any upload', pending, { userId: null, permissions: [create] }],
  ['the create permission', 'their own file', completed, { userId: author, permissions: [create] }],
])('a user with %s must not delete %s', (_right, _what, attachment, caller) => {
  expect(() => checkDeletion(callerWith(caller), attachment)).toThrow(
    expect.objectContaining({ code: 'permission.denied', context: { permission: remove } }),
  )
})

function callerWith(given: {
  readonly userId: string | null
  readonly permissions?: readonly string[]
  readonly isAdministrator?: boolean
}): Caller {
  return {
    subject: 'caller',
    email: null,
    displayName: 'Caller',
    profileChanged: false,
    isPlatformAdministrator: false,
    isAdministrator: given.isAdministrator ?? false,
    roles: [],
    userId: given.userId,
    permissions: new Set(given.permissions ?? []),
  }
}

test('checkDownload accepts ready files, and checkAuditDownload accepts files that were ready once', () => {
  expect(() => checkDownload({ status: 'ready' })).not.toThrow()
  const completedAtUtc = '2026-01-01T00:00:00.000Z'
  for (const status of ['ready', 'deleted'] as const) {
    expect(() => checkAuditDownload({ status, completedAtUtc })).not.toThrow()
  }
})

test.each([
  ['pending', 'attachments.not_ready'],
  ['scanning', 'attachments.not_ready'],
  ['deleted', 'attachments.not_ready'],
  ['quarantined', 'attachments.quarantined'],
] as const)('the audit download of a %s file that was never ready is rejected with %s', (status, code) => {
  expect(() => checkAuditDownload({ status, completedAtUtc: null })).toThrow(
    expect.objectContaining({ code }),
  )
})
