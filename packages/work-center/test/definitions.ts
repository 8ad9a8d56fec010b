import { defineNotification, defineTask } from '../src/definitions/definition.ts'

const words = { displayName: 'Something', category: 'Sales', description: 'It is about something.' }

/** A task definition that lists only the role of clerks. */
export const collectPayment = defineTask({
  ...words,
  code: 'trade.collect_payment',
  displayName: 'Collect a payment',
  roleCodes: ['trade.clerk'],
})

/** A task definition that lists two roles. */
export const approve = defineTask({
  ...words,
  code: 'trade.approve',
  roleCodes: ['trade.clerk', 'trade.manager'],
})

/** A notification that users can switch off. */
export const settled = defineNotification({
  ...words,
  code: 'trade.invoice_settled',
  severity: 'Success',
  roleCodes: ['trade.clerk', 'trade.auditor'],
})

/** A mandatory notification. */
export const writtenOff = defineNotification({
  ...words,
  code: 'trade.write_off_recorded',
  severity: 'Warning',
  roleCodes: ['trade.auditor', 'trade.clerk'],
  userCanDisable: false,
})

/** A notification that is off by default. */
export const digest = defineNotification({
  ...words,
  code: 'trade.digest',
  severity: 'Information',
  roleCodes: ['trade.manager', 'trade.clerk'],
  defaultEnabled: false,
})

export const auditorsOnly = defineNotification({
  ...words,
  code: 'trade.audit_due',
  severity: 'Critical',
  roleCodes: ['trade.auditor'],
})

export const definitions = [collectPayment, approve, settled, writtenOff, digest, auditorsOnly]
