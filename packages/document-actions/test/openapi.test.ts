import { DocumentActionsError } from '@vertical-kit/document-actions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShopHost, type ShopHost } from './harness.ts'

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly deprecated?: boolean
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: object }>>
}

let host: ShopHost
let operations: ReadonlyMap<string, Operation>
beforeAll(async () => {
  host = await openShopHost()
  const { paths } = (await (await host.app.request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>
  }
  operations = new Map(
    Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/documents/'))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]): [string, Operation] => [
          `${method} ${path}`,
          operation,
        ]),
      ),
  )
})
afterAll(() => host.close())

const document = '/api/documents/{documentType}/{id}'
const executions = [
  [`post ${document}/actions/{actionCode}`, 'executeAction'],
  [`post ${document}/post`, 'postDocument'],
  [`post ${document}/unpost`, 'unpostDocument'],
  [`post ${document}/repost`, 'repostDocument'],
  [`post ${document}/mark-for-deletion`, 'markForDeletionDocument'],
  [`post ${document}/unmark-for-deletion`, 'unmarkForDeletionDocument'],
] as const
const reads = [
  [`get ${document}/editor-state`, 'getEditorState', 'EditorState'],
  [`get ${document}/effects`, 'getEffects', 'Effects'],
  [`get ${document}/related`, 'getRelatedDocuments', 'RelatedDocuments'],
] as const

const who = `get ${document}/actions/{actionCode}/who`
const batch = 'post /api/documents/{documentType}/actions/{actionCode}/batch'

const schema = (name: string) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
})

test('the OpenAPI document contains exactly the routes of the package', () => {
  const described = [...operations].map(([at, { operationId }]) => [at, operationId])
  const expected = [
    ...executions,
    [batch, 'executeBatch'],
    [who, 'listRolesOfAction'],
    ...reads.map(([at, id]) => [at, id]),
  ]
  expect(described.toSorted()).toEqual(expected.toSorted())
})

test.each(executions)('%s reads the header Idempotency-Key and the body of an execution', (at) => {
  const operation = operations.get(at)
  expect(operation?.parameters.filter((parameter) => parameter.in === 'header')).toEqual([
    {
      name: 'Idempotency-Key',
      in: 'header',
      // A dry run needs no key.
      required: false,
      description: expect.stringMatching(/1 to 200 visible ASCII/),
      schema: { type: 'string' },
    },
  ])
  expect(operation?.requestBody).toEqual({ required: true, ...schema('ExecuteAction') })
  const answers = ['ExecutionResult', 'DryRunResult'].map((name) => ({
    $ref: `#/components/schemas/${name}`,
  }))
  expect(operation?.responses['200']).toMatchObject({
    content: { 'application/json': { schema: { anyOf: answers } } },
  })
})

test('a batch requires the header Idempotency-Key', () => {
  expect(operations.get(batch)?.parameters).toMatchObject([
    {},
    {},
    { name: 'dryRun', in: 'query' },
    { name: 'Idempotency-Key', in: 'header', required: true },
  ])
  expect(operations.get(batch)?.responses['200']).toMatchObject(schema('BatchResult'))
})

test.each([...executions, [batch, 'executeBatch'] as const])(
  '%s lists every error code of executions',
  (at) => {
    const descriptions = Object.values(operations.get(at)?.responses ?? {}).map(
      ({ description }) => description,
    )
    // Only the routes of a vertical throw `documents.not_draft`.
    const codes = Object.keys(DocumentActionsError.table).filter((code) => code !== 'documents.not_draft')
    for (const code of codes) expect(descriptions.join('\n')).toContain(`\`${code}\``)
  },
)

test('only the older paths are deprecated', () => {
  const deprecated = [...operations].filter(([, { deprecated }]) => deprecated === true).map(([at]) => at)
  expect(deprecated).toEqual(executions.slice(1).map(([at]) => at))
})

test.each(reads)('%s requires no header and lists documents.not_found', (at, _id, shape) => {
  const operation = operations.get(at)
  expect(operation?.parameters.map(({ name }) => name)).toEqual(['documentType', 'id'])
  expect(operation?.responses['200']).toMatchObject(schema(shape))
  expect(operation?.responses['404']?.description).toContain('`documents.not_found`')
})
