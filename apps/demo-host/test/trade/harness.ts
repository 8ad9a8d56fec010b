import { auditTimeline, type KitModule } from '@vertical-kit/core-audit'
import { coreMigrations, type Database } from '@vertical-kit/core-audit/database'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import {
  migrationTemplate,
  openTestHost,
  type TestHost,
  type TestRequest,
} from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { createDocumentActions, documentActionsMigrations } from '@vertical-kit/document-actions'
import { afterAll, inject } from 'vitest'
import { demoRoles } from '../../src/demo-users.ts'
import { tradeDocumentTypes, tradeNavigationTargets } from '../../src/trade/actions/trade-document-types.ts'
import { tradeBusinessObjects } from '../../src/trade/business-objects.ts'
import { createTrade, tradeMigrations } from '../../src/trade/module.ts'
import { expectAnswer } from '../answers.ts'

/** A host with its own database. It contains the vertical, the actions of its documents and the audit timeline. */
export interface TradeHost extends Pick<TestHost, 'app' | 'database' | 'as'> {
  /** Returns a client for a user with the permissions of a demo role. */
  asRole(subject: string, roleCode: string): Promise<TestRequest>
}

/** Opens a host for all tests of a file and closes it after them. Call this function at the top level of the file. */
export async function openTradeHost(): Promise<TradeHost> {
  const packs = [coreMigrations, documentActionsMigrations, tradeMigrations]
  const template = await migrationTemplate('demo_trade', packs)
  const fresh = await freshDatabase(inject('postgresUrl'), { template })
  afterAll(() => fresh.drop())
  const host = await openTestHost({
    databaseUrl: fresh.url,
    modules: (database, outbox) => {
      const businessObjects = createBusinessObjects(tradeBusinessObjects)
      const modules = tradeModules(database, outbox)
      return [...modules, auditTimeline({ database, businessObjects, modules })]
    },
  })
  // This hook runs before the first `afterAll` hook, because vitest runs these hooks in reverse order.
  afterAll(() => host.close())
  return {
    app: host.app,
    database: host.database,
    as: host.as,
    asRole: (subject, roleCode) => host.as({ subject, permissions: permissionsOf(roleCode) }),
  }
}

/** Creates the modules of the vertical: the drafts and catalogs, and the document actions. */
export function tradeModules(database: Database, outbox: Outbox): readonly KitModule[] {
  const actions = createDocumentActions({
    ...{ database, outbox, config: { executionRetentionMs: 86_400_000 } },
    types: tradeDocumentTypes,
    navigationTargets: tradeNavigationTargets,
  })
  return [createTrade({ database, outbox }), actions]
}

function permissionsOf(roleCode: string): readonly string[] {
  const role = demoRoles.find(({ code }) => code === roleCode)
  if (role === undefined) throw new TypeError(`The demo has no role ${roleCode}`)
  return role.permissions
}

/** Creates a customer and an item, and returns fields for a sales document that references them. */
export async function salesFields(clerk: TestRequest) {
  const created = async (path: string, name: string) =>
    (await expectAnswer(clerk('POST', path, { body: { name, fields: {} } }), 201)).id
  const customerId = await created('/api/catalogs/trade.customer', 'Acme')
  const itemId = await created('/api/catalogs/trade.item', 'Bolt')
  return { customerId, dueDate: '2027-01-31', lines: [{ itemId, quantity: 2, unitPrice: '12.50' }] }
}
