import { testCaller } from '@vertical-kit/core-audit/testing'
import { expect, test } from 'vitest'
import { createTypeRegistry, type RegisteredType } from '../../src/actions/registry.ts'
import {
  checkAvailable,
  checkDraft,
  checkVersion,
  requireExecutable,
  requireVisible,
} from '../../src/policy.ts'
import { aCommand, aDocument, aType } from '../definitions.ts'
import { outcomeOf } from '../outcome.ts'

const view = 'document.shop.thing.view'

function registered(isVisibleTo?: () => boolean): RegisteredType {
  const types = [aType([aCommand()], isVisibleTo === undefined ? {} : { isVisibleTo })]
  const type = createTypeRegistry({ types, navigationTargets: [] }).get('shop.thing')
  if (type === undefined) throw new Error('not registered')
  return type
}

test.each([
  ['with view permission sees the document', testCaller([view]), undefined, true],
  ['with view permission sees the document if the type allows it', testCaller([view]), () => true, true],
  ['with view permission is refused if the type denies it', testCaller([view]), () => false, false],
  ['without view permission is refused', testCaller(['document.shop.thing.do']), undefined, false],
  ['without view permission is refused even if the type allows it', testCaller(), () => true, false],
  ['with administrator rights sees the document', testCaller([], { isAdministrator: true }), undefined, true],
  [
    'with administrator rights is refused if the type denies it',
    testCaller([], { isAdministrator: true }),
    () => false,
    false,
  ],
])('a caller %s', (_who, caller, isVisibleTo, isVisible) => {
  const document = aDocument()
  const outcome = outcomeOf(() => requireVisible(registered(isVisibleTo), caller, document))
  expect(outcome).toBe(isVisible ? document : 'documents.not_found')
})

test('a missing document is invisible, and isVisibleTo is not called', () => {
  const type = registered(() => {
    throw new Error('asked')
  })
  const administrator = testCaller([], { isAdministrator: true })
  expect(outcomeOf(() => requireVisible(type, administrator, undefined))).toBe('documents.not_found')
})

test('a caller needs only the permission of the action to execute it', () => {
  const action = registered().actions.get('shop.do')
  if (action === undefined) throw new Error('not registered')
  const ask = (...permissions: readonly string[]) =>
    outcomeOf(() => requireExecutable(testCaller(permissions), action))
  expect(ask('document.shop.thing.do')).toBeUndefined()
  expect(ask(view, 'document.shop.thing.other')).toBe('document_action.forbidden')
})

test.each([
  [3, 3, undefined],
  [3, 2, { expectedVersion: 2, actualVersion: 3 }],
  [3, 4, { expectedVersion: 4, actualVersion: 3 }],
  [1, 0, { expectedVersion: 0, actualVersion: 1 }],
  [1, -1, { expectedVersion: -1, actualVersion: 1 }],
])('version %i conflicts with expected version %i unless equal', (version, expectedVersion, context) => {
  const outcome = outcomeOf(() => checkVersion(aDocument({ version }), expectedVersion))
  expect(outcome).toEqual(context && { code: 'documents.version_conflict', context })
})

test.each([
  ['Draft', undefined, undefined],
  ['Draft', 2, undefined],
  ['Draft', 1, 'documents.version_conflict'],
  ['Posted', undefined, 'documents.not_draft'],
  ['Posted', 2, 'documents.not_draft'],
  ['MarkedForDeletion', 2, 'documents.not_draft'],
  // Another user has posted the draft: the caller loads the document again.
  ['Posted', 1, 'documents.version_conflict'],
] as const)('a %s document, expected in version %s: %s', (status, expectedVersion, code) => {
  const outcome = outcomeOf(() => checkDraft(aDocument({ status, version: 2 }), expectedVersion))
  const contexts = {
    'documents.not_draft': { status },
    'documents.version_conflict': { expectedVersion, actualVersion: 2 },
  }
  expect(outcome).toEqual(code && { code, context: contexts[code] })
})

test('an unavailable action is rejected with the codes of all reasons', () => {
  const reasons = ['shop.one', 'shop.two'].map((code) => ({ code, message: 'Words.' }))
  const check = (action: ReturnType<typeof aCommand>) =>
    outcomeOf(() => checkAvailable(action, aDocument(), undefined))
  expect(check(aCommand())).toBeUndefined()
  expect(check(aCommand({ disabledReasons: () => [] }))).toBeUndefined()
  expect(check(aCommand({ disabledReasons: () => reasons }))).toEqual({
    code: 'document_action.unavailable',
    context: { reasonCodes: ['shop.one', 'shop.two'] },
  })
})
