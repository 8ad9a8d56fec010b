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

test.each([0, 1, 1000])('%d bytes may be declared where 1000 are allowed', (sizeBytes) => {
  expect(normalizeDeclaration({ ...declared, sizeBytes }, config)).toEqual({ ...declared, sizeBytes })
})

test.each([-1, 1001, 1e300])('%d bytes may not be declared where 1000 are allowed', (sizeBytes) => {
  expect(() => normalizeDeclaration({ ...declared, sizeBytes }, config)).toThrow(
    expect.objectContaining({ code: 'attachments.file_too_large', context: { maxSizeBytes: 1000 } }),
  )
})

test.each([
  ['pending', false, 'complete'],
  ['ready', false, 'already-ready'],
  ['ready', true, 'already-ready'],
] as const)(
  'an upload that is %s (its time over: %s) is to be taken as %s',
  (status, isExpired, decision) => {
    expect(decideCompletion({ status, isExpired })).toBe(decision)
  },
)

test.each([
  ['pending', true, 'attachments.upload_expired'],
  ['deleted', false, 'attachments.deleted'],
  ['deleted', true, 'attachments.deleted'],
] as const)('an upload that is %s (its time over: %s) is refused with %s', (status, isExpired, code) => {
  expect(() => decideCompletion({ status, isExpired })).toThrow(expect.objectContaining({ code }))
})

test.each([
  ['as declared', staged],
  [
    'with parameters and another case in its content type',
    { ...staged, contentType: 'Text/Plain; charset=utf-8' },
  ],
])('an uploaded object %s passes', (_how, object) => {
  expect(checkStaged(declared, object)).toBe(object)
})

test.each([
  ['missing', null, 'attachments.upload_missing'],
  ['shorter', { ...staged, sizeBytes: 4 }, 'attachments.size_mismatch'],
  ['longer', { ...staged, sizeBytes: 6 }, 'attachments.size_mismatch'],
  ['of another type', { ...staged, contentType: 'text/html' }, 'attachments.content_type_mismatch'],
  ['of no type', { ...staged, contentType: '' }, 'attachments.content_type_mismatch'],
])('an uploaded object that is %s is refused', (_how, object, code) => {
  expect(() => checkStaged(declared, object)).toThrow(expect.objectContaining({ code }))
})

test.each([
  ['pending', 'attachments.not_ready'],
  ['deleted', 'attachments.deleted'],
] as const)('an attachment that is %s is not downloaded: %s', (status, code) => {
  expect(() => checkDownload({ status })).toThrow(expect.objectContaining({ code }))
})

const author = newId()
const pending = { createdByUserId: author, completedAtUtc: null }
const completed = { createdByUserId: author, completedAtUtc: '2026-01-01T00:00:00.000Z' }
const create = 'system.attachments.create'
const remove = 'system.attachments.delete'

test.each([
  ['an own upload', 'the right to create', pending, { userId: author, permissions: [create] }],
  ['an own upload', 'the right to delete', pending, { userId: author, permissions: [remove] }],
  ['the upload of another user', 'the right to delete', pending, { userId: newId(), permissions: [remove] }],
  ['an own completed file', 'the right to delete', completed, { userId: author, permissions: [remove] }],
  ['a completed file', 'the right to delete', completed, { userId: newId(), permissions: [remove] }],
  ['a completed file', 'every right', completed, { userId: null, isAdministrator: true }],
])('%s may be deleted with %s', (_what, _right, attachment, caller) => {
  expect(() => checkDeletion(callerWith(caller), attachment)).not.toThrow()
})

test.each([
  ['an own upload', 'no right', pending, { userId: author, permissions: [] }],
  ['the upload of another user', 'the right to create', pending, { userId: newId(), permissions: [create] }],
  ['an upload', 'the right to create and no record', pending, { userId: null, permissions: [create] }],
  ['an own completed file', 'the right to create', completed, { userId: author, permissions: [create] }],
])('%s may not be deleted with %s', (_what, _right, attachment, caller) => {
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

test('a ready attachment is downloaded, and from the timeline whatever was ever completed', () => {
  expect(() => checkDownload({ status: 'ready' })).not.toThrow()
  expect(() => checkAuditDownload({ completedAtUtc: '2026-01-01T00:00:00.000Z' })).not.toThrow()
  expect(() => checkAuditDownload({ completedAtUtc: null })).toThrow(
    expect.objectContaining({ code: 'attachments.not_ready' }),
  )
})
