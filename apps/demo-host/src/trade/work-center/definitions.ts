import { defineNotification, defineTask, type ItemDefinition } from '@vertical-kit/work-center'
import { tradeRoles } from '../roles.ts'

/** There while something is owed on a posted invoice. One for each invoice. */
export const collectPayment = defineTask({
  code: 'trade.collect_payment',
  displayName: 'Collect payment',
  category: 'Receivables',
  description: 'A posted invoice is unpaid. Completed when it is paid or written off.',
  roleCodes: [tradeRoles.clerk],
})

/** There while a posted order has no invoice. One for each order. */
export const invoiceOrder = defineTask({
  code: 'trade.invoice_order',
  displayName: 'Invoice an order',
  category: 'Sales',
  description: 'A posted order has no invoice yet. Completed when its invoice is created.',
  roleCodes: [tradeRoles.clerk],
})

/** Told each time that a payment settles an invoice. */
export const invoiceSettled = defineNotification({
  code: 'trade.invoice_settled',
  displayName: 'Invoice settled',
  category: 'Receivables',
  description: 'A payment settled an invoice.',
  severity: 'Success',
  roleCodes: [tradeRoles.viewer, tradeRoles.auditor],
})

/** Told of every write-off, and not to be switched off. */
export const writeOffRecorded = defineNotification({
  code: 'trade.write_off_recorded',
  displayName: 'Write-off recorded',
  category: 'Receivables',
  description: 'The open balance of an invoice was written off.',
  severity: 'Warning',
  roleCodes: [tradeRoles.auditor],
  userCanDisable: false,
})

/** Every kind of task and notification of the vertical: for `createWorkCenter`. */
export const tradeDefinitions: readonly ItemDefinition[] = [
  collectPayment,
  invoiceOrder,
  invoiceSettled,
  writeOffRecorded,
]
