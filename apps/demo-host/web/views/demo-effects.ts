import type { CallOptions, DocumentReference, Effects } from '@vertical-kit/ui-client'
import { html, nothing, type TemplateResult } from 'lit'
import { formatMoney } from '../format.ts'
import { DocumentPart } from './document-part.ts'

/** Shows the accounting entries of a document. Renders nothing until they are loaded, or if the document has none. */
export class DemoEffects extends DocumentPart<Effects> {
  protected request(document: DocumentReference, options: CallOptions): Promise<Effects> {
    return this.workspace.client.documents.effects(document, options)
  }

  protected override render(): TemplateResult | typeof nothing {
    const entries = this.loaded?.accountingEntries ?? []
    if (entries.length === 0) return nothing
    return html`<section class="card section entry-stack" aria-labelledby="books">
      <h2 id="books">Accounting entries</h2>
      <table class="lines read">
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col" class="number amount">Debit</th>
            <th scope="col" class="number amount">Credit</th>
          </tr>
        </thead>
        <tbody>
          ${entries.map(
            ({ account, debit, credit }) => html`<tr>
              <td class="whole"><bdi>${account}</bdi></td>
              <td class="number" data-label="Debit">${sideOf(debit)}</td>
              <td class="number" data-label="Credit">${sideOf(credit)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </section>`
  }
}

/** Formats one side of an accounting entry. Each entry has an amount on one side, and the other side is empty. */
const sideOf = (amount: unknown): string =>
  typeof amount === 'string' && /[1-9]/.test(amount) ? formatMoney(amount) : ''

customElements.define('demo-effects', DemoEffects)
