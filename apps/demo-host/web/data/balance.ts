import type { CallOptions, Client } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { openStore, outcome, type Store } from '@vertical-kit/ui-client/stores'
import { amountOf, centsOf } from '../../src/trade/ledger/money.ts'
import type { InvoiceBalance, PaymentBalance } from '../../src/trade/receivables/contract.ts'
import { keepCurrent } from './keep-current.ts'

/** Returns the first amount minus the second one. */
export const differenceOf = (amount: string, less: string): string =>
  amountOf(centsOf(amount) - centsOf(less))

/** Loads what is not applied of a payment, and what can be applied. */
export const loadPaymentBalance = (
  client: Client,
  paymentId: string,
  options: CallOptions,
): Promise<PaymentBalance> =>
  client.request({
    method: 'GET',
    path: `/api/documents/trade.customer_payment/${encodeURIComponent(paymentId)}/balance`,
    ...options,
  })

/** The balance of an invoice. It is null while it is not known. */
export interface BalanceState {
  readonly balance: InvoiceBalance | null
}

export interface Balance extends Store<BalanceState> {
  load(): Promise<void>
}

/**
 * Opens the balance of an invoice. Reloads it when a document changes, because a payment can change it, and when the user or the
 * network returns.
 */
export function openBalance(session: Session, invoiceId: string): Balance {
  const store = openStore<BalanceState>(session, { balance: null })
  const { $state, set, dispose } = store
  const path = `/api/documents/trade.sales_invoice/${encodeURIComponent(invoiceId)}/balance`
  const loadBalance = async (signal: AbortSignal) => {
    const asked = session.client.request<InvoiceBalance>({ method: 'GET', path, signal })
    const result = await outcome(signal, asked)
    // After a failure, the last known balance stays visible.
    if (result !== null && 'value' in result) set({ balance: result.value })
  }
  const load = keepCurrent(session, store.signal, {
    concerns: () => true,
    mayRefresh: () => true,
    load: loadBalance,
  })
  return { $state, load, dispose }
}
