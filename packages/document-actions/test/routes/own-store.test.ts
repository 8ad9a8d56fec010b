import {
  type DocumentReference,
  type DocumentStore,
  genericDocumentStore,
} from '@vertical-kit/document-actions'
import { expect, onTestFinished, test } from 'vitest'
import { aCommand, aType } from '../definitions.ts'
import { execute, openShopHost } from '../harness.ts'

/** Returns a store that records its calls. */
function listening() {
  const asked: (readonly [how: string, reference: DocumentReference])[] = []
  const store: DocumentStore = {
    find(db, { typeCode, id }) {
      asked.push(['find', { typeCode, id }])
      return genericDocumentStore.find(db, { typeCode, id })
    },
    findMany: genericDocumentStore.findMany,
    lock(tx, { typeCode, id }) {
      asked.push(['lock', { typeCode, id }])
      return genericDocumentStore.lock(tx, { typeCode, id })
    },
    save(tx, update) {
      asked.push(['save', { typeCode: update.typeCode, id: update.id }])
      return genericDocumentStore.save(tx, update)
    },
  }
  return { asked, store }
}

test('the store always receives the code of its own type and the id in lower case', async () => {
  const { asked, store } = listening()
  const host = await openShopHost({ types: [aType([aCommand()], { store })] })
  onTestFinished(() => host.close())
  const administrator = await host.as({ subject: 'root', roles: ['platform-admin'] })
  const { typeCode, id } = await host.addDocument('shop.thing')
  const shouted = { typeCode, id: id.toUpperCase() }

  await administrator('GET', `/api/documents/${typeCode}/${shouted.id}/editor-state`)
  await administrator('GET', `/api/documents/${typeCode}/${shouted.id}/effects`)
  expect((await execute(administrator, shouted, 'shop.do')).status).toBe(200)
  const reference = { typeCode, id }
  expect(asked).toEqual(['find', 'find', 'find', 'lock', 'save'].map((how) => [how, reference]))
})

test('the store is not called for a malformed id', async () => {
  const { asked, store } = listening()
  const host = await openShopHost({ types: [aType([aCommand()], { store })] })
  onTestFinished(() => host.close())
  const administrator = await host.as({ subject: 'root', roles: ['platform-admin'] })
  const none = { typeCode: 'shop.thing', id: 'not-a-uuid' }
  expect((await administrator('GET', `/api/documents/shop.thing/${none.id}/editor-state`)).status).toBe(404)
  expect((await execute(administrator, none, 'shop.do')).status).toBe(404)
  expect(asked).toEqual([])
})
