import { expect, test } from 'vitest'
import { pathOfTarget } from '../../web/navigation-targets.ts'

test('the path of a navigation target is the list of its type, or the entry if the parameters contain an id', () => {
  const id = '01a2003f-8d81-7425-8cd5-e30f1c3efd1f'
  expect(pathOfTarget({ code: 'trade.sales_order', parameters: { documentId: id } })).toBe(
    `/sales-orders/${id}`,
  )
  expect(pathOfTarget({ code: 'trade.customer', parameters: { customerId: id } })).toBe(`/customers/${id}`)
  expect(pathOfTarget({ code: 'trade.item', parameters: {} })).toBe('/items')
})

test('the path of a mention opens the notes of the entry', () => {
  const parameters = { documentId: '1', noteId: '2' }
  expect(pathOfTarget({ code: 'trade.sales_order', parameters })).toBe('/sales-orders/1?panel=notes')
})

test('an unknown navigation target has no path', () => {
  for (const code of ['crm.lead', '', 'https://evil.example', 'constructor', 'toString']) {
    expect(pathOfTarget({ code, parameters: { documentId: '1' } })).toBeNull()
  }
})

test.each(['..', '../../evil', '//evil.example', 'javascript:alert(1)', '1?x=1#y', '\\\\evil', ''])(
  'a navigation target with the malformed id "%s" has no path',
  (documentId) => {
    expect(pathOfTarget({ code: 'trade.sales_order', parameters: { documentId } })).toBeNull()
  },
)
