import { changeAs } from '@vertical-kit/core-audit/access'
import type { Database } from '@vertical-kit/core-audit/database'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { RepeatedCreation } from '../creation.ts'
import { typeRights } from '../type-rights.ts'
import type { CatalogType } from './catalog-types.ts'
import { createCatalogItem } from './commands/create-catalog-item.ts'
import { deleteCatalogItem } from './commands/delete-catalog-item.ts'
import { replaceCatalogItem } from './commands/replace-catalog-item.ts'
import { type CatalogItem, catalogShapes, ListCatalogItemsQuery } from './contract.ts'
import { CatalogsError } from './errors.ts'
import { findCatalogItem, findCreatedItem } from './queries/find-catalog-item.ts'
import { listCatalogItems } from './queries/list-catalog-items.ts'

const tag = 'Catalogs'
const errors = ['catalogs.not_found']
const creationDescription =
  'A request of the same user with the same `creationKey` and values returns the item of the first one, ' +
  'until it is deleted. With other values, it fails with `catalogs.creation_conflict`.'

/** Returns the routes `/api/catalogs/<type>` of one catalog. Each catalog documents its own fields. */
export function catalogRoutes(database: Database, type: CatalogType): Hono<KitEnv> {
  const typeCode = type.code
  const shapes = catalogShapes(type)
  const found = { 200: { description: 'The item', schema: shapes.item } }
  const rights = typeRights('catalog', typeCode, () => new CatalogsError('catalogs.not_found'))
  const description = `Requires \`${rights.permission('view')}\`; without it, the type is hidden.`
  const guards = [rights.viewGuard]
  const requireItem = (id: string) => database.read((db) => existingItem(findCatalogItem(db, typeCode, id)))

  return new Hono<KitEnv>()
    .get(
      `/api/catalogs/${typeCode}`,
      api({
        operationId: `list${type.apiName}`,
        tag,
        summary: `Lists the ${type.plural}, newest first.`,
        description: `${description} \`q\` finds the beginnings of words. \`counts=true\` adds their number, up to 1,000.`,
        guards,
        query: ListCatalogItemsQuery,
        responses: { 200: { description: 'One page', schema: shapes.page } },
        errors,
      }),
      async (c) => {
        const query = { ...c.req.valid('query'), typeCode }
        return c.json(await database.read((db) => listCatalogItems(db, query), c.get('caller').since))
      },
    )
    .post(
      `/api/catalogs/${typeCode}`,
      api({
        operationId: `create${type.apiName}`,
        tag,
        summary: `Creates an item in the catalog of ${type.plural}.`,
        description: `${description} ${creationDescription}`,
        guards,
        permission: rights.permission('create'),
        body: shapes.creation,
        responses: { 201: { description: 'The new item', schema: shapes.item } },
        errors: [...errors, 'catalogs.creation_conflict'],
      }),
      async (c) => {
        const authorize = rights.authorizing(c, 'create')
        const input = { ...c.req.valid('json'), id: database.newId(), typeCode, authorize }
        const creating = changeAs(database, c.var, (tx, actor) => createCatalogItem(tx, { ...input, actor }))
        const item = await creating.catch((error: unknown) => {
          if (!(error instanceof RepeatedCreation)) throw error
          return database.read((db) => existingItem(findCreatedItem(db, error.creation)))
        })
        return c.json(item, 201)
      },
    )
    .get(
      `/api/catalogs/${typeCode}/:id`,
      api({
        operationId: `get${type.apiName}`,
        tag,
        summary: `Returns an item from the catalog of ${type.plural}.`,
        description,
        guards,
        responses: found,
        errors,
      }),
      async (c) => c.json(await requireItem(c.req.param('id'))),
    )
    .put(
      `/api/catalogs/${typeCode}/:id`,
      api({
        operationId: `replace${type.apiName}`,
        tag,
        summary: `Replaces the name and fields of an item in the catalog of ${type.plural}.`,
        description,
        guards,
        permission: rights.permission('edit'),
        body: shapes.body,
        responses: found,
        errors,
      }),
      async (c) => {
        const { name, fields } = c.req.valid('json')
        const { id } = await requireItem(c.req.param('id'))
        const input = { id, typeCode, name, fields, authorize: rights.authorizing(c, 'edit') }
        const item = await changeAs(database, c.var, (tx, actor) =>
          replaceCatalogItem(tx, { ...input, actor }),
        )
        return c.json(item)
      },
    )
    .delete(
      `/api/catalogs/${typeCode}/:id`,
      api({
        operationId: `delete${type.apiName}`,
        tag,
        summary: `Deletes an item from the catalog of ${type.plural}, unless a document refers to it.`,
        description,
        guards,
        permission: rights.permission('delete'),
        responses: { 204: { description: 'The item was deleted.' } },
        errors: [...errors, 'catalogs.in_use'],
      }),
      async (c) => {
        const { id } = await requireItem(c.req.param('id'))
        const input = { id, typeCode, authorize: rights.authorizing(c, 'delete') }
        await changeAs(database, c.var, (tx, actor) => deleteCatalogItem(tx, { ...input, actor }))
        return c.body(null, 204)
      },
    )
}

/** Returns routes that refuse unknown catalogs with the same error as hidden catalogs. Mount them after all catalogs. */
export function unknownCatalogRoutes(): Hono<KitEnv> {
  const refuse = (): never => {
    throw new CatalogsError('catalogs.not_found')
  }
  return new Hono<KitEnv>()
    .on(['GET', 'POST'], '/api/catalogs/:type', refuse)
    .on(['GET', 'PUT', 'DELETE'], '/api/catalogs/:type/:id', refuse)
}

async function existingItem(finding: Promise<CatalogItem | undefined>): Promise<CatalogItem> {
  const item = await finding
  if (item === undefined) throw new CatalogsError('catalogs.not_found')
  return item
}
