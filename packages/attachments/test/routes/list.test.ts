import { AttachmentPage } from '@vertical-kit/attachments/contract'
import { newId } from '@vertical-kit/core-audit'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attach, expectJson, newTarget, refusalOf, reserve, targetParameters } from '../harness.ts'
import { openRoutesBench, type RoutesBench } from './bench.ts'

let bench: RoutesBench

beforeAll(async () => {
  bench = await openRoutesBench()
})
afterAll(() => bench.close())

const list = (query: string, request = bench.clerk) => request('GET', `/api/attachments?${query}`)
const page = async (query: string) => v.parse(AttachmentPage, await expectJson(await list(query), 200))

test('the list contains only the ready attachments of the requested object, newest first', async () => {
  const target = newTarget()
  const [first, second, deleted] = [
    await attach(bench.clerk, { target, fileName: 'first.txt' }),
    await attach(bench.colleague, { target, fileName: 'second.txt' }),
    await attach(bench.clerk, { target }),
  ]
  await bench.clerk('DELETE', `/api/attachments/${deleted.id}`)
  await reserve(bench.clerk, { target })
  await attach(bench.clerk)
  const { items, nextCursor } = await page(targetParameters(target))
  expect(items).toEqual([second, first])
  expect(items.map(({ createdByDisplayName }) => createdByDisplayName)).toEqual(['colleague', 'Clara Clerk'])
  expect(nextCursor).toBeNull()
})

test('attachments that are added or deleted between two requests cause no gaps or repetitions in the pages', async () => {
  const target = newTarget()
  const made = []
  for (let count = 0; count < 5; count += 1) made.push(await attach(bench.clerk, { target }))
  const query = `${targetParameters(target)}&limit=2`
  const first = await page(query)
  await attach(bench.clerk, { target })
  await bench.clerk('DELETE', `/api/attachments/${first.nextCursor}`)
  const second = await page(`${query}&cursor=${first.nextCursor?.toUpperCase()}`)
  const third = await page(`${query}&cursor=${second.nextCursor}`)
  expect([...first.items, ...second.items, ...third.items].map(({ id }) => id)).toEqual(
    made.map(({ id }) => id).reverse(),
  )
  expect(second.nextCursor).toBe(second.items.at(-1)?.id)
  expect(third.nextCursor).toBeNull()
})

test('if the attachments exactly fill one page, nextCursor is null', async () => {
  const target = newTarget()
  await attach(bench.clerk, { target })
  await attach(bench.clerk, { target })
  expect(await page(`${targetParameters(target)}&limit=2`)).toMatchObject({ nextCursor: null })
})

test.each([
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=x', 'limit'],
  ['cursor=x', 'cursor'],
])('the query parameter %s returns 400', async (parameter, field) => {
  const response = await list(`${targetParameters(newTarget())}&${parameter}`)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: 'request.invalid', errors: [{ path: field }] })
})

test('a query without objectId returns 400', async () => {
  const response = await list('kind=Document&typeCode=trade.sales_invoice')
  expect(await response.json()).toMatchObject({ code: 'request.invalid', errors: [{ path: 'objectId' }] })
})

test('the list returns 404 for an unreadable target and 400 for an unsupported target', async () => {
  const target = newTarget()
  bench.hidden.add(target.id)
  expect(await refusalOf(await list(targetParameters(target)))).toEqual({
    status: 404,
    code: 'business_object.not_found',
  })
  expect(await refusalOf(await list(targetParameters({ ...target, typeCode: 'chart_of_accounts' })))).toEqual(
    {
      status: 400,
      code: 'business_object.unsupported',
    },
  )
})

test('a list request without the permission to read attachments returns 403', async () => {
  expect(await refusalOf(await list(targetParameters(newTarget()), bench.outsider))).toEqual({
    status: 403,
    code: 'permission.denied',
    context: { permission: 'system.attachments.read' },
  })
})

test('a list request without a token returns 401', async () => {
  const response = await bench.app.request(
    `/api/attachments?${targetParameters({ ...newTarget(), id: newId() })}`,
  )
  expect(await refusalOf(response)).toEqual({ status: 401, code: 'auth.required' })
})
