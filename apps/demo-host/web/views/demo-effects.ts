import type { Effects } from '@vertical-kit/ui-client'
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { formatMoney } from '../format.ts'
import { LightElement } from '../light-element.ts'
import type { Workspace } from '../workspace.ts'

/** Shows the accounting entries of a document. Renders nothing until they are loaded, or if the document has none. */
export class DemoEffects extends LightElement {
  static override properties = {
    workspace: { attribute: false },
    typeCode: {},
    documentId: {},
    updatedAtUtc: {},
    effects: { state: true },
  }
  declare workspace: Workspace
  declare typeCode: string
  declare documentId: string
  /** The time of the document's last change. When this time changes, the effects are loaded again. */
  declare updatedAtUtc: string
  declare private effects: Effects | null

  constructor() {
    super()
    this.effects = null
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (['workspace', 'documentId', 'updatedAtUtc'].some((name) => changed.has(name))) void this.#load()
  }

  async #load(): Promise<void> {
    const { client, session } = this.workspace
    const { typeCode, documentId: id, updatedAtUtc } = this
    const effects = await client.documents
      .effects({ typeCode, id }, { signal: session.signal })
      .catch(() => null)
    if (this.documentId === id && this.updatedAtUtc === updatedAtUtc) this.effects = effects
  }

  protected override render(): TemplateResult | typeof nothing {
    const entries = this.effects?.accountingEntries ?? []
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
