import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAnswer } from './answers.ts'
import { type OpenDemo, openDemo, type Request } from './demo-process.ts'

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
}

let demo: OpenDemo
let admin: Request
/** The values of the required parameters. They name an object that exists. */
let target: Readonly<Record<string, string>>
let operations: readonly (readonly [path: string, operation: Operation])[]

beforeAll(async () => {
  demo = await openDemo()
  admin = await demo.as('admin')
  const customer = { body: { name: 'Alder', fields: {} } }
  const { id } = await expectAnswer(admin('POST', '/api/catalogs/trade.customer', customer), 201)
  target = { kind: 'CatalogItem', typeCode: 'trade.customer', objectId: id }
  const { paths } = (await (await fetch(`${demo.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>
  }
  operations = Object.entries(paths).flatMap(([path, { get }]) =>
    get === undefined ? [] : [[path.replace('{id}', id), get]],
  )
})
afterAll(() => demo?.close())

/** Returns the query parameters of an operation, and its path with the required ones. */
function requestTo([path, { parameters }]: (typeof operations)[number]) {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const required = query.filter((parameter) => parameter.required).map(({ name }) => name)
  const optional = query.filter((parameter) => !parameter.required).map(({ name }) => name)
  const values = new URLSearchParams(required.map((name) => [name, target[name] ?? '']))
  return { url: `${path}?${values}`, required, optional }
}

async function answer(path: string): Promise<unknown> {
  const response = await admin('GET', path)
  const { requestId: _, ...body } = { requestId: '', ...((await response.json()) as object) }
  return { status: response.status, body }
}

test('an empty optional query parameter changes nothing in any answer', async () => {
  const changed: string[] = []
  let count = 0
  for (const operation of operations) {
    const { url, optional } = requestTo(operation)
    const expected = JSON.stringify(optional.length === 0 ? null : await answer(url))
    for (const name of optional) {
      count += 1
      const actual = JSON.stringify(await answer(`${url}&${name}=`))
      if (actual !== expected)
        changed.push(`${url}&${name}= ${actual.slice(0, 300)} ${expected.slice(0, 300)}`)
    }
  }
  expect(changed).toEqual([])
  expect(count).toBeGreaterThan(50)
})

test('an empty required query parameter is rejected as missing', async () => {
  let count = 0
  for (const operation of operations) {
    const { url, required } = requestTo(operation)
    for (const name of required) {
      count += 1
      const path = url.replace(new RegExp(`\\b${name}=[^&]*`), `${name}=`)
      const { errors } = await expectAnswer(admin('GET', path), 400, 'request.invalid')
      expect([path, errors]).toEqual([path, [{ path: name, message: 'is required' }]])
    }
  }
  expect(count).toBeGreaterThan(10)
})
