import { defineErrors, refusal } from '@vertical-kit/core-audit'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { checkModules } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { createOutbox, outboxDefaults } from '@vertical-kit/core-audit/outbox'
import { testCaller } from '@vertical-kit/core-audit/testing'
import { createDocumentActions, DocumentActionsError } from '@vertical-kit/document-actions'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { aCommand, aType } from './definitions.ts'
import { dayMs } from './harness.ts'
import { shopTargets, shopTypes } from './shop.ts'

const database = createDatabase({ ...databaseDefaults, url: 'postgres://nobody@127.0.0.1:1/none' })
const options = {
  database,
  outbox: createOutbox({ database, config: outboxDefaults }),
  config: { executionRetentionMs: dayMs },
}

test('the module contains its version, permissions, codes, migrations and worker', () => {
  const module = createDocumentActions({ ...options, types: shopTypes(), navigationTargets: shopTargets })
  const gatherer = { name: 'timeline', gathers: { contribution: 'auditSource', modules: [module] } } as const
  expect(() => checkModules([module, gatherer])).not.toThrow()
  expect(module).toMatchObject({
    name: '@vertical-kit/document-actions',
    errors: [DocumentActionsError],
    migrations: { name: '@vertical-kit/document-actions' },
    workers: [{ name: 'document-actions.retention', intervalMs: 3_600_000 }],
  })
  expect(module.permissions?.map(({ permission }) => permission)).toContain('document.shop.invoice.write_off')
})

test('every caller with access to the timeline of a document sees its executions', () => {
  const { auditSource } = createDocumentActions({ ...options, types: [] })
  expect(auditSource).toMatchObject({ module: 'document-actions' })
  expect(auditSource.isVisibleTo(testCaller())).toBe(true)
  expect(auditSource.downloadOf).toBeUndefined()
})

test('the API description lists the error codes of handlers', async () => {
  const ShopError = defineErrors('ShopError', { 'shop.closed': refusal(409, 'The shop is closed.') })
  const { router } = createDocumentActions({ ...options, types: [], handlerErrors: [ShopError] })
  const app = new Hono<KitEnv>().route('/', router ?? new Hono<KitEnv>())
  const described = app.routes.map(({ handler }) => Reflect.get(handler, Symbol.for('vertical-kit.api')))
  const executions = described.filter((one) => one?.operationId === 'executeAction')
  expect(executions).toMatchObject([{ errors: expect.arrayContaining(['shop.closed']) }])
})

test('creating the module throws for invalid actions', () => {
  const types = [aType([aCommand({ label: '' })])]
  expect(() => createDocumentActions({ ...options, types })).toThrow(
    new TypeError('The document types are invalid:\nshop.thing: shop.do: the label is blank'),
  )
})

test('without navigationTargets, every navigation is rejected', () => {
  expect(() => createDocumentActions({ ...options, types: shopTypes() })).toThrow(
    /the target shop.customer is not a registered page/,
  )
})
