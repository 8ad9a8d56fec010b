import type { World } from './world.ts'

/** Returns a request body for an order or an invoice. */
export const sales = (world: World) => ({
  fields: {
    customerId: world.customer.id,
    dueDate: '2027-01-31',
    lines: [{ itemId: world.item.id, quantity: 1, unitPrice: '1.00' }],
  },
})

/** Returns a request body for a payment of a posted invoice. */
export const payment = (world: World) => ({ fields: { invoiceId: world.postedInvoiceId, amount: '1.00' } })

/** Returns a request body for a balanced journal entry. */
export const journal = () => ({
  fields: {
    entries: [
      { account: '1', debit: '1.00', credit: '0.00' },
      { account: '2', debit: '0.00', credit: '1.00' },
    ],
  },
})
