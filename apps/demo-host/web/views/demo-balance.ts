import type { Session } from '@vertical-kit/ui-client/stores'
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import { amountOf, linesTotal } from '../../src/trade/ledger/money.ts'
import { type Balance, differenceOf, openBalance } from '../data/balance.ts'
import type { Entry } from '../data/entries.ts'
import { salesFieldsOf } from '../data/fields.ts'
import { readField } from '../form/controls.ts'
import { formatMoney } from '../format.ts'
import { icon } from '../icons.ts'
import { LightStoreElement } from '../light-element.ts'
import { listAt, permissionFor } from '../lists.ts'
import type { Workspace } from '../workspace.ts'

/**
 * Shows the total of a posted invoice, what was paid and what is open, with a link to register a payment. Shows received money
 * that is not applied yet, so that no user registers it again.
 */
export class DemoBalance extends LightStoreElement<Balance> {
  static override properties = {
    workspace: { attribute: false },
    invoice: { attribute: false },
  }
  declare workspace: Workspace
  declare invoice: Extract<Entry, { number: string }>
  protected readonly storeProperties = ['session']

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed)
    // An action such as a write-off changes the balance with the invoice.
    if (!changed.has('session') && changed.has('invoice')) void this.store?.load()
  }

  protected override openStore(session: Session): Balance {
    const balance = openBalance(session, this.invoice.id)
    void balance.load()
    return balance
  }

  protected override atomsOf({ $state }: Balance): readonly ReadableAtom<unknown>[] {
    return [$state]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, invoice, workspace } = this
    if (store === null) return nothing
    const { balance } = store.$state.get()
    const outstanding = balance?.outstandingAmount ?? ''
    const unapplied = balance?.unappliedAmount ?? '0.00'
    const missing = outstanding === '' ? '' : differenceOf(outstanding, unapplied)
    const payments = listAt('payments')
    const mayPay = workspace.may(permissionFor(payments, 'create'))
    const mayApply = isAboveZero(outstanding) && workspace.may(permissionFor(payments, 'apply_payment'))
    const maySee = workspace.may(permissionFor(payments, 'view'))
    const total = amountOf(linesTotal(salesFieldsOf(invoice).lines))
    return html`<section class="card section entry-stack balance" aria-label="Balance">
      <dl class="fields">
        ${readField('Total', formatMoney(total))} ${readField('Paid', formatMoney(balance?.paidAmount ?? ''))}
        ${readField('Outstanding', html`<strong>${outstanding === '' ? '—' : formatMoney(outstanding)}</strong>`)}
      </dl>
      ${
        mayPay || maySee
          ? html`<p class="balance-action">
              ${mayPay ? this.#register(missing) : nothing}
              ${
                isAboveZero(unapplied)
                  ? html`<span>
                      ${formatMoney(unapplied)} received, not
                      applied${mayApply ? html` · <a href="/payments/${balance?.unappliedPaymentId}">Apply</a>` : nothing}
                    </span>`
                  : nothing
              }
              ${
                maySee
                  ? html`<a href="/payments?q=${encodeURIComponent(invoice.number)}">Payments of this invoice</a>`
                  : nothing
              }
            </p>`
          : nothing
      }
    </section>`
  }

  /** Renders the link. While the amount is not known, an invisible one keeps its place, so that nothing moves later. */
  #register(amount: string): TemplateResult | typeof nothing {
    const text = html`${icon('card')} Register payment`
    if (amount === '') return html`<span class="button waiting" aria-hidden="true">${text}</span>`
    if (!isAboveZero(amount)) return nothing
    return html`<a class="button" href="/payments/new?invoice=${this.invoice.id}&amount=${amount}">${text}</a>`
  }
}

const isAboveZero = (amount: string): boolean => /^[\d.]*[1-9]/.test(amount)

customElements.define('demo-balance', DemoBalance)
