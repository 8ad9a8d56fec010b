import { defineNotification, defineTask, type ItemDefinition } from '@vertical-kit/work-center'
import { tradeRoles } from '../roles.ts'

/** Users can switch mails on for each kind of item. Hosts without a mail server offer only `InApp`. */
const channels = ['InApp', 'Email'] as const

/** Each posted invoice has one task of this type. It is open while the invoice has an open balance. */
export const collectPayment = defineTask({
  code: 'trade.collect_payment',
  displayName: 'Collect payment',
  category: 'Receivables',
  description: 'A posted invoice is unpaid. Completed when it is paid or written off.',
  roleCodes: [tradeRoles.clerk],
  channels,
})

/** Each posted order has one task of this type. It is open while the order has no invoice. */
export const invoiceOrder = defineTask({
  code: 'trade.invoice_order',
  displayName: 'Invoice an order',
  category: 'Sales',
  description: 'A posted order has no invoice yet. Completed when its invoice is created.',
  roleCodes: [tradeRoles.clerk],
  channels,
})

/** A notification of this type is sent whenever a payment settles an invoice. */
export const invoiceSettled = defineNotification({
  code: 'trade.invoice_settled',
  displayName: 'Invoice settled',
  category: 'Receivables',
  description: 'A payment settled an invoice.',
  severity: 'Success',
  roleCodes: [tradeRoles.viewer, tradeRoles.auditor],
  channels,
})

/** A notification of this type is sent for every write-off. Users cannot switch this type off. */
export const writeOffRecorded = defineNotification({
  code: 'trade.write_off_recorded',
  displayName: 'Write-off recorded',
  category: 'Receivables',
  description: 'The open balance of an invoice was written off.',
  severity: 'Warning',
  roleCodes: [tradeRoles.auditor],
  channels,
  userCanDisable: false,
})

/** All tasks and notifications of the vertical, for `createWorkCenter`. */
export const tradeDefinitions: readonly ItemDefinition[] = [
  collectPayment,
  invoiceOrder,
  invoiceSettled,
  writeOffRecorded,
]
