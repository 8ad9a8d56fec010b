import type { DocumentStatus } from '@vertical-kit/document-actions/contract'
import { expect, test } from 'vitest'
import {
  applyPaymentReasons,
  createInvoiceReasons,
  invoiceReversalReasons,
  journalPostReasons,
  maxApplicable,
  orderReversalReasons,
  type PaymentFacts,
  paymentRepostReasons,
  postReasons,
  writeOffReasons,
} from '../../../src/trade/actions/policy.ts'
import { maxCents } from '../../../src/trade/ledger/money.ts'
import type { Posting } from '../../../src/trade/ledger/posting.ts'

const codesOf = (reasons: readonly { readonly code: string; readonly message: string }[]): string =>
  reasons.map(({ code }) => code).join(' ')

const posting = (debit: bigint, credit: bigint): Posting => ({
  entries: [
    { account: 'a', debit, credit: 0n },
    { account: 'b', debit: 0n, credit },
  ],
  movements: [],
})

test.each([
  [0n, ''],
  [maxCents, ''],
  [maxCents + 1n, 'trade.total_too_large'],
])('an invoice of %s cents has the reasons [%s] against posting', (cents, codes) => {
  expect(codesOf(postReasons(posting(cents, cents)))).toBe(codes)
})

test.each([
  [100n, 100n, ''],
  [100n, 99n, 'trade.entries_unbalanced'],
  [99n, 100n, 'trade.entries_unbalanced'],
  [0n, 0n, 'trade.entries_unbalanced'],
  [maxCents + 1n, maxCents + 1n, 'trade.total_too_large'],
  [1n, maxCents + 1n, 'trade.entries_unbalanced trade.total_too_large'],
])('a journal entry (debit %s, credit %s) has the reasons [%s] against posting', (debit, credit, codes) => {
  expect(codesOf(journalPostReasons(posting(debit, credit)))).toBe(codes)
})

test('a journal entry cannot be posted while one line contains both a debit and a credit', () => {
  const entries = [{ account: 'a', debit: 500n, credit: 500n }]
  expect(codesOf(journalPostReasons({ entries, movements: [] }))).toBe('trade.entry_two_sided')
})

test.each([
  ['Draft', false, 'trade.order_not_posted', ''],
  ['Draft', true, 'trade.order_not_posted trade.order_already_invoiced', 'trade.order_already_invoiced'],
  ['Posted', false, '', ''],
  ['Posted', true, 'trade.order_already_invoiced', 'trade.order_already_invoiced'],
  ['MarkedForDeletion', false, 'trade.order_not_posted', ''],
] as const)(
  'an order (status %s, isInvoiced %s) has the reasons [%s] against invoicing and [%s] against unposting',
  (status, isInvoiced, invoiceCodes, reversalCodes) => {
    expect(codesOf(createInvoiceReasons({ isInvoiced }, { status }))).toBe(invoiceCodes)
    expect(codesOf(orderReversalReasons({ isInvoiced }))).toBe(reversalCodes)
  },
)

test.each([
  ['Draft', 0n, 0n, 'trade.invoice_not_posted', ''],
  ['Posted', 2_500n, 0n, '', ''],
  ['Posted', 1n, 2_499n, '', 'trade.invoice_has_settlements'],
  ['Posted', 0n, 2_500n, 'trade.invoice_settled', 'trade.invoice_has_settlements'],
  ['Posted', 0n, 0n, 'trade.invoice_settled', ''],
  ['MarkedForDeletion', 0n, 0n, 'trade.invoice_not_posted', ''],
] as const)(
  'an invoice (%s, %s open, %s settled) has the reasons [%s] against a write-off and [%s] against unposting',
  (status, outstanding, settled, writeOffCodes, reversalCodes) => {
    expect(codesOf(writeOffReasons({ outstanding, settled }, { status }))).toBe(writeOffCodes)
    expect(codesOf(invoiceReversalReasons({ outstanding, settled }))).toBe(reversalCodes)
  },
)

const facts = (change: Partial<PaymentFacts>): PaymentFacts => ({
  unapplied: 1_000n,
  applied: 0n,
  invoiceStatus: 'Posted',
  outstanding: 2_500n,
  ...change,
})

const payment = (status: DocumentStatus) => ({
  status,
  payload: { fields: { invoiceId: 'an invoice', amount: '10.00' } },
})

test.each([
  ['Posted', {}, ''],
  ['Posted', { unapplied: 1n, applied: 999n }, ''],
  ['Posted', { unapplied: 0n, applied: 1_000n }, 'trade.payment_fully_applied'],
  ['Posted', { invoiceStatus: 'Draft', outstanding: 0n }, 'trade.invoice_not_posted'],
  ['Posted', { invoiceStatus: 'MarkedForDeletion', outstanding: 0n }, 'trade.invoice_not_posted'],
  ['Posted', { outstanding: 0n }, 'trade.invoice_settled'],
  ['Posted', { unapplied: 0n, outstanding: 0n }, 'trade.payment_fully_applied'],
  ['Posted', { unapplied: 0n, invoiceStatus: 'Draft' }, 'trade.payment_fully_applied'],
  ['Draft', { unapplied: 0n }, 'trade.payment_not_posted'],
  [
    'Draft',
    { unapplied: 0n, invoiceStatus: 'Draft', outstanding: 0n },
    'trade.payment_not_posted trade.invoice_not_posted',
  ],
  ['MarkedForDeletion', { unapplied: 0n }, 'trade.payment_not_posted'],
] as const)(
  'the reasons against applying a payment (status %s, facts %o) are [%s]',
  (status, change, codes) => {
    expect(codesOf(applyPaymentReasons(facts(change), payment(status)))).toBe(codes)
  },
)

test('a payment can be reposted only while no part of it is applied', () => {
  expect(codesOf(paymentRepostReasons(facts({})))).toBe('')
  expect(codesOf(paymentRepostReasons(facts({ unapplied: 999n, applied: 1n })))).toBe('trade.payment_applied')
})

test('the largest applicable amount is the smaller of the unapplied amount and the open balance', () => {
  expect(maxApplicable(facts({ unapplied: 1_000n, outstanding: 2_500n }))).toBe(1_000n)
  expect(maxApplicable(facts({ unapplied: 3_000n, outstanding: 2_500n }))).toBe(2_500n)
})

test('the message of every disabled reason is a sentence', () => {
  const all = [
    ...journalPostReasons(posting(maxCents + 1n, 0n)),
    ...createInvoiceReasons({ isInvoiced: true }, { status: 'Draft' }),
    ...writeOffReasons({ outstanding: 0n, settled: 0n }, { status: 'Posted' }),
    ...applyPaymentReasons(facts({ invoiceStatus: 'Draft' }), payment('Draft')),
  ]
  for (const { message } of all) expect(message).toMatch(/^[A-Z].*\.$/)
})
