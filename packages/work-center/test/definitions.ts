import { defineNotification, defineTask } from '../src/definitions/definition.ts'

const words = { displayName: 'Something', category: 'Sales', description: 'It is about something.' }

/** Tasks of clerks, and of one user alone. */
export const collectPayment = defineTask({
  ...words,
  code: 'trade.collect_payment',
  displayName: 'Collect a payment',
  roleCodes: ['trade.clerk'],
})

/** For two roles. */
export const approve = defineTask({
  ...words,
  code: 'trade.approve',
  roleCodes: ['trade.clerk', 'trade.manager'],
})

/** Free to be switched off. */
export const settled = defineNotification({
  ...words,
  code: 'trade.invoice_settled',
  severity: 'Success',
  roleCodes: ['trade.clerk', 'trade.auditor'],
})

/** Nobody can be without it. */
export const writtenOff = defineNotification({
  ...words,
  code: 'trade.write_off_recorded',
  severity: 'Warning',
  roleCodes: ['trade.auditor', 'trade.clerk'],
  userCanDisable: false,
})

/** Off until somebody wants it. */
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
