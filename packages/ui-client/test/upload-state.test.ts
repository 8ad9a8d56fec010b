import { describe, expect, it } from 'vitest'
import { KitError } from '../src/index.ts'
import { stepAfterFailure } from '../src/stores/step-after-failure.ts'
import { shownName } from '../src/stores/upload-state.ts'

describe('stepAfterFailure', () => {
  it.each([
    ['reserving', 'client.unreachable', 0, 'reserving'],
    ['reserving', 'attachments.count_limit_exceeded', 409, 'reserving'],
    ['reserving', 'auth.required', 401, 'reserving'],
    ['reserving', 'attachments.file_too_large', 400, null],
    ['reserving', 'permission.denied', 403, null],
    ['reserving', 'business_object.not_found', 404, null],
    ['reserving', 'client.unexpected_response', 200, 'reserving'],
    ['reserving', 'client.unexpected_response', 403, 'reserving'],
    ['transferring', 'client.transfer_failed', 0, 'transferring'],
    ['transferring', 'client.transfer_failed', 503, 'transferring'],
    ['transferring', 'client.transfer_failed', 403, 'reserving'],
    ['transferring', 'client.transfer_failed', 400, 'reserving'],
    ['transferring', 'client.file_unreadable', 0, null],
    ['verifying', 'attachments.storage_unavailable', 503, 'verifying'],
    ['verifying', 'internal', 500, 'verifying'],
    ['verifying', 'attachments.upload_missing', 409, 'transferring'],
    ['verifying', 'attachments.upload_expired', 409, 'reserving'],
    ['verifying', 'attachments.upload_changed', 409, 'reserving'],
    ['verifying', 'attachments.content_type_mismatch', 409, 'reserving'],
    ['verifying', 'attachments.deleted', 409, 'reserving'],
    ['verifying', 'attachments.quarantined', 409, null],
    ['verifying', 'attachments.not_found', 404, 'reserving'],
    ['verifying', 'permission.denied', 403, null],
    ['verifying', 'client.unexpected_response', 200, 'verifying'],
    ['verifying', 'client.unexpected_response', 404, 'verifying'],
  ] as const)('for the step %s with the code %s and status %i returns %s', (step, code, status, next) => {
    expect(stepAfterFailure(step, new KitError({ code, status }), 'whole')).toBe(next)
  })

  it.each([
    ['client.transfer_failed', 0, 'transferring'],
    ['client.transfer_failed', 503, 'transferring'],
    ['client.transfer_failed', 403, 'transferring'],
    ['client.transfer_failed', 404, 'reserving'],
    ['client.unreachable', 0, 'transferring'],
    ['attachments.storage_unavailable', 503, 'transferring'],
    ['attachments.not_found', 404, 'reserving'],
    ['attachments.deleted', 409, 'reserving'],
    ['attachments.upload_expired', 409, 'reserving'],
    ['attachments.no_multipart_upload', 409, 'reserving'],
    ['request.route_not_found', 404, 'transferring'],
    ['client.unexpected_response', 200, 'transferring'],
    ['client.unexpected_response', 404, 'transferring'],
    ['permission.denied', 403, null],
  ] as const)('for a transfer in parts with the code %s and status %i returns %s', (code, status, next) => {
    expect(stepAfterFailure('transferring', new KitError({ code, status }), 'parts')).toBe(next)
  })

  it.each(['attachments.upload_changed', 'attachments.size_mismatch'])(
    'for the verification of parts with the code %s returns transferring, which keeps the stored parts',
    (code) => {
      expect(stepAfterFailure('verifying', new KitError({ code, status: 409 }), 'parts')).toBe('transferring')
    },
  )
})

describe('the shown file name', () => {
  it('contains no control or format characters', () => {
    expect(shownName('photo\u202Egpj.exe')).toBe('photogpj.exe')
    expect(shownName('a\u2066b\u0007c\u200Dd.txt')).toBe('abcd.txt')
  })

  it('contains all other characters', () => {
    expect(shownName('<img src=x onerror=alert(1)>.png')).toBe('<img src=x onerror=alert(1)>.png')
    expect(shownName('צילום.pdf')).toBe('צילום.pdf')
  })
})
