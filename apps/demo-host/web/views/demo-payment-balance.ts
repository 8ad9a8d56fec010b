import type { CallOptions, Document, DocumentReference } from '@vertical-kit/ui-client'
import { html, type TemplateResult } from 'lit'
import type { PaymentBalance } from '../../src/trade/receivables/contract.ts'
import { differenceOf, loadPaymentBalance } from '../data/balance.ts'
import { paymentFieldsOf } from '../data/fields.ts'
import { readField } from '../form/controls.ts'
import { formatMoney } from '../format.ts'
import { DocumentPart } from './document-part.ts'

/** Shows how much of a posted payment is applied to its invoice, and how much is not. */
export class DemoPaymentBalance extends DocumentPart<PaymentBalance> {
  static override properties = { ...DocumentPart.properties, payment: { attribute: false } }
  declare payment: Document

  protected request({ id }: DocumentReference, options: CallOptions): Promise<PaymentBalance> {
    return loadPaymentBalance(this.workspace.client, id, options)
  }

  protected override render(): TemplateResult {
    const { amount } = paymentFieldsOf(this.payment)
    const unapplied = this.loaded?.unappliedAmount ?? ''
    const applied = unapplied === '' ? '' : differenceOf(amount, unapplied)
    return html`<section class="card section entry-stack" aria-label="Balance">
      <dl class="fields">
        ${readField('Applied', formatMoney(applied))} ${readField('Not applied', formatMoney(unapplied))}
      </dl>
    </section>`
  }
}

customElements.define('demo-payment-balance', DemoPaymentBalance)
