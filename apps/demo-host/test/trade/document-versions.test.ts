import { expect, test } from 'vitest'
import { act } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales } from './actions/documents.ts'
import { openTradeHost, salesFields } from './harness.ts'

const invoices = '/api/documents/trade.sales_invoice'

const host = await openTradeHost()
const clerk = await host.asRole('clerk', 'trade.clerk')

const draftInvoice = () => draftSales(clerk, 'trade.sales_invoice')

const versionOf = async (id: string) =>
  (await expectAnswer(clerk('GET', `${invoices}/${id}/editor-state`), 200))['documentVersion']

async function replace(id: string, dueDate: string, expectedVersion?: unknown): Promise<Response> {
  const fields = { ...(await salesFields(clerk)), dueDate }
  return clerk('PUT', `${invoices}/${id}`, { body: { fields, expectedVersion } })
}

test('an edit that expects the current version succeeds and increments the version', async () => {
  const { id } = await draftInvoice()
  expect(await versionOf(id)).toBe(1)
  await expectAnswer(replace(id, '2027-02-02', 1), 200)
  expect(await versionOf(id)).toBe(2)
  await expectAnswer(replace(id, '2027-03-03', 2), 200)
  expect(await versionOf(id)).toBe(3)
})

test.each([1, 3, 0, -1])(
  'an edit that expects version %i changes nothing if the draft has version 2',
  async (expectedVersion) => {
    const { id } = await draftInvoice()
    await expectAnswer(replace(id, '2027-02-02', 1), 200)
    const before = await expectAnswer(clerk('GET', `${invoices}/${id}`), 200)
    const refusal = await expectAnswer(
      replace(id, '2027-03-03', expectedVersion),
      409,
      'documents.version_conflict',
    )
    expect(refusal['context']).toEqual({ expectedVersion, actualVersion: 2 })
    expect(await expectAnswer(clerk('GET', `${invoices}/${id}`), 200)).toEqual(before)
    expect(await versionOf(id)).toBe(2)
  },
)

test('an edit without an expected version overwrites any version', async () => {
  const { id } = await draftInvoice()
  await expectAnswer(replace(id, '2027-02-02', 1), 200)
  const edited = await expectAnswer(replace(id, '2027-03-03'), 200)
  expect(edited).toMatchObject({ payload: { fields: { dueDate: '2027-03-03' } } })
})

test.each([['1'], [1.5], [null], [2 ** 53], [[1]]])(
  'an edit with %j as expected version is invalid',
  async (expectedVersion) => {
    const { id } = await draftInvoice()
    const { errors } = await expectAnswer(replace(id, '2027-02-02', expectedVersion), 400, 'request.invalid')
    expect(errors.map(({ path }) => path)).toEqual(['expectedVersion'])
  },
)

test('after a draft was posted, an edit or deletion with the old version is refused, and the error contains the new version', async () => {
  const draft = await draftInvoice()
  await act(clerk, draft, 'post')
  const refusals = [
    await expectAnswer(replace(draft.id, '2027-02-02', 1), 409, 'documents.version_conflict'),
    await expectAnswer(
      clerk('DELETE', `${invoices}/${draft.id}?expectedVersion=1`),
      409,
      'documents.version_conflict',
    ),
  ]
  expect(refusals.map((refusal) => refusal['context'])).toEqual(
    refusals.map(() => ({ expectedVersion: 1, actualVersion: 2 })),
  )
  await expectAnswer(replace(draft.id, '2027-02-02', 2), 409, 'documents.not_draft')
})

test('a deletion with an expected version succeeds only if that version is current', async () => {
  const { id } = await draftInvoice()
  await expectAnswer(replace(id, '2027-02-02', 1), 200)
  const stale = clerk('DELETE', `${invoices}/${id}?expectedVersion=1`)
  const refusal = await expectAnswer(stale, 409, 'documents.version_conflict')
  expect(refusal['context']).toEqual({ expectedVersion: 1, actualVersion: 2 })
  await expectAnswer(clerk('GET', `${invoices}/${id}`), 200)
  await expectAnswer(clerk('DELETE', `${invoices}/${id}?expectedVersion=2`), 204)
  await expectAnswer(clerk('GET', `${invoices}/${id}`), 404, 'documents.not_found')
})

test.each(['x', '1.0', '1e1', ' 1', '9007199254740993'])(
  'a deletion with %j as expected version in the query is invalid',
  async (text) => {
    const { id } = await draftInvoice()
    const path = `${invoices}/${id}?expectedVersion=${encodeURIComponent(text)}`
    const { errors } = await expectAnswer(clerk('DELETE', path), 400, 'request.invalid')
    expect(errors.map(({ path }) => path)).toEqual(['expectedVersion'])
    await expectAnswer(clerk('GET', `${invoices}/${id}`), 200)
  },
)

test.each(['', '?expectedVersion='])('a deletion with the query %j deletes any version', async (query) => {
  const { id } = await draftInvoice()
  await expectAnswer(replace(id, '2027-02-02', 1), 200)
  await expectAnswer(clerk('DELETE', `${invoices}/${id}${query}`), 204)
})

test('the refusals for callers without permission to change a document do not contain its version', async () => {
  const { id } = await draftInvoice()
  const viewer = await host.asRole('viewer', 'trade.viewer')
  const outsider = await host.as({ subject: 'outsider' })
  const body = { fields: await salesFields(clerk), expectedVersion: 9 }
  await expectAnswer(viewer('PUT', `${invoices}/${id}`, { body }), 403, 'permission.denied')
  await expectAnswer(outsider('PUT', `${invoices}/${id}`, { body }), 404, 'documents.not_found')
})
