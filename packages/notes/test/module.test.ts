import { isKitError } from '@vertical-kit/core-audit'
import { checkModules } from '@vertical-kit/core-audit/host'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { createNotes, NotesError, notesFeature } from '@vertical-kit/notes'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  allPermissions,
  expectJson,
  type NotesHost,
  openNotesHost,
  targetParameters,
  write,
} from './harness.ts'
import { businessObjects } from './parents.ts'

let host: NotesHost
beforeAll(async () => {
  host = await openNotesHost()
})
afterAll(() => host.close())

/** Creates the module with its feature on or off. If `state` is undefined, the feature has no value. */
function moduleWith(state: boolean | undefined) {
  const features = createFeatureFlags({
    definitions: [notesFeature],
    values: state === undefined ? new Map() : new Map([[notesFeature.code, state]]),
  })
  return createNotes({ database: host.database, businessObjects, features, config: { maxTextChars: 10 } })
}

test('the module declares its name, permissions, error codes and migrations', () => {
  const module = moduleWith(true)
  const gatherers = (['auditSource', 'counter'] as const).map((contribution) => ({
    name: contribution,
    gathers: { contribution, modules: [module] },
  }))
  expect(() => checkModules([module, ...gatherers])).not.toThrow()
  expect(module).toMatchObject({ name: '@vertical-kit/notes', errors: [NotesError] })
  expect(module.permissions?.map(({ permission }) => permission)).toEqual(allPermissions)
  expect(new Set(module.permissions?.map(({ group }) => group))).toEqual(new Set(['Attachments & Notes']))
  expect(module.migrations?.name).toBe('@vertical-kit/notes')
  expect([module.workers, module.health]).toEqual([undefined, undefined])
})

test('the code of the feature is Notes, like its configuration key', () => {
  expect(notesFeature).toEqual({ code: 'Notes', displayName: 'Notes', group: 'Attachments & Notes' })
})

describe('the counter and the audit source', () => {
  const administrator = { isAdministrator: true, permissions: new Set<string>() }
  const reader = { isAdministrator: false, permissions: new Set(['system.notes.read']) }
  const writer = {
    isAdministrator: false,
    permissions: new Set(['system.notes.create', 'system.audit.view']),
  }

  test.each([
    [true, true],
    [false, false],
    [undefined, false],
  ])('if the value of the feature is %s, their availability to readers is %s', (state, isOpen) => {
    const { counter, auditSource } = moduleWith(state)
    expect(counter).toMatchObject({
      content: 'notes',
      isEnabled: isOpen,
      readPermission: 'system.notes.read',
    })
    expect(auditSource.isEnabled).toBe(isOpen)
    // The rights do not depend on the feature: another replica can have it on.
    const visible = [administrator, reader, writer].map((caller) => auditSource.isVisibleTo(caller as never))
    expect(visible).toEqual([true, true, false])
    expect(auditSource.downloadOf).toBeUndefined()
  })
})

test('the content summary counts the notes of the object and excludes deleted notes', async () => {
  const clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
  const target = await host.addParent()
  const summary = async () =>
    (await clerk('GET', `/api/business-objects/content-summary?${targetParameters(target)}`)).json()
  expect(await summary()).toEqual({ attachments: null, notes: 0 })
  const note = await write(clerk, target)
  await write(clerk, target)
  await write(clerk, await host.addParent())
  expect(await summary()).toEqual({ attachments: null, notes: 2 })
  await expectJson(await clerk('DELETE', `/api/notes/${note.id}?version=1`), 200)
  expect(await summary()).toEqual({ attachments: null, notes: 1 })
})

test('the OpenAPI document contains every error code and the permission of each operation', async () => {
  const text = await (await host.app.request('/openapi.json')).text()
  for (const code of Object.keys(NotesError.table)) expect(text).toContain(`\`${code}\``)
  const { paths } = JSON.parse(text) as {
    paths: Record<string, Record<string, { operationId: string; 'x-permission': string }>>
  }
  const operations = ['/api/notes', '/api/notes/{id}'].flatMap((path) => Object.values(paths[path] ?? {}))
  expect(operations.map((operation) => [operation.operationId, operation['x-permission']])).toEqual([
    ['listNotes', 'system.notes.read'],
    ['createNote', 'system.notes.create'],
    ['updateNote', 'system.notes.update'],
    ['deleteNote', 'system.notes.delete'],
  ])
})

test('isKitError recognizes an error from a second copy of the package', async () => {
  vi.resetModules()
  const copy = await import('@vertical-kit/notes')
  expect(copy.NotesError).not.toBe(NotesError)
  expect(isKitError(new copy.NotesError('notes.deleted'))).toBe(true)
})
