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

test.each([0, 1, 1000])('accepts a declaration of %d bytes with a limit of 1000', (sizeBytes) => {
  expect(normalizeDeclaration({ ...declared, sizeBytes }, config)).toEqual({ ...declared, sizeBytes })
})

test.each([-1, 1001, 1e300])('rejects a declaration of %d bytes with a limit of 1000', (sizeBytes) => {
  expect(() => normalizeDeclaration({ ...declared, sizeBytes }, config)).toThrow(
    expect.objectContaining({ code: 'attachments.file_too_large', context: { maxSizeBytes: 1000 } }),
  )
})

test.each([
  ['pending', false, 'complete'],
  ['ready', false, 'already-ready'],
  ['ready', true, 'already-ready'],
] as const)('the completion of a %s upload (expired: %s) is decided as %s', (status, isExpired, decision) => {
  expect(decideCompletion({ status, isExpired })).toBe(decision)
})

test.each([
  ['pending', true, 'attachments.upload_expired'],
  ['deleted', false, 'attachments.deleted'],
  ['deleted', true, 'attachments.deleted'],
] as const)('the completion of a %s upload (expired: %s) fails with %s', (status, isExpired, code) => {
  expect(() => decideCompletion({ status, isExpired })).toThrow(expect.objectContaining({ code }))
})

test.each([
  ['exactly as declared', staged],
  [
    'with parameters and upper case in its content type',
    { ...staged, contentType: 'Text/Plain; charset=utf-8' },
  ],
])('accepts an uploaded object %s', (_how, object) => {
  expect(checkStaged(declared, object)).toBe(object)
})

test.each([
  ['is missing', null, 'attachments.upload_missing'],
  ['is shorter than declared', { ...staged, sizeBytes: 4 }, 'attachments.size_mismatch'],
  ['is longer than declared', { ...staged, sizeBytes: 6 }, 'attachments.size_mismatch'],
  ['has another content type', { ...staged, contentType: 'text/html' }, 'attachments.content_type_mismatch'],
  ['has no content type', { ...staged, contentType: '' }, 'attachments.content_type_mismatch'],
])('rejects an uploaded object that %s', (_how, object, code) => {
  expect(() => checkStaged(declared, object)).toThrow(expect.objectContaining({ code }))
})

test.each([
  ['pending', 'attachments.not_ready'],
  ['deleted', 'attachments.deleted'],
] as const)('the download of a %s attachment fails with %s', (status, code) => {
  expect(() => checkDownload({ status })).toThrow(expect.objectContaining({ code }))
})

const author = newId()
const pending = { createdByUserId: author, completedAtUtc: null }
const completed = { createdByUserId: author, completedAtUtc: '2026-01-01T00:00:00.000Z' }
const create = 'system.attachments.create'
const remove = 'system.attachments.delete'

test.each([
  ['an own upload', 'the create right', pending, { userId: author, permissions: [create] }],
  ['an own upload', 'the delete right', pending, { userId: author, permissions: [remove] }],
  ['an upload of another user', 'the delete right', pending, { userId: newId(), permissions: [remove] }],
  ['an own completed file', 'the delete right', completed, { userId: author, permissions: [remove] }],
  ['a completed file', 'the delete right', completed, { userId: newId(), permissions: [remove] }],
  ['a completed file', 'every right', completed, { userId: null, isAdministrator: true }],
])('allows deleting %s with %s', (_what, _right, attachment, caller) => {
  expect(() => checkDeletion(callerWith(caller), attachment)).not.toThrow()
})

test.each([
  ['an own upload', 'no right', pending, { userId: author, permissions: [] }],
  ['an upload of another user', 'the create right', pending, { userId: newId(), permissions: [create] }],
  ['an upload', 'the create right but no user record', pending, { userId: null, permissions: [create] }],
  ['an own completed file', 'the create right', completed, { userId: author, permissions: [create] }],
])('denies deleting %s with %s', (_what, _right, attachment, caller) => {
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

test('ready attachments are downloadable, and the timeline offers all completed ones', () => {
  expect(() => checkDownload({ status: 'ready' })).not.toThrow()
  expect(() => checkAuditDownload({ completedAtUtc: '2026-01-01T00:00:00.000Z' })).not.toThrow()
  expect(() => checkAuditDownload({ completedAtUtc: null })).toThrow(
    expect.objectContaining({ code: 'attachments.not_ready' }),
  )
})
