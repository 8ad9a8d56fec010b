import type { Document, DocumentAction } from '@vertical-kit/ui-client'
import { html, nothing, render } from 'lit'
import { paymentFieldsOf } from '../data/fields.ts'
import { amountText, isAmount, tidyAmount } from '../form/amounts.ts'
import { createDialog } from './page-dialog.ts'

/** The amounts of attempts that have not succeeded, by the id of the payment. The next dialog shows them again. */
const attempted = new Map<string, string>()
/** Forgets the amounts: another user may have signed in. */
export const forgetAmounts = (): void => attempted.clear()
addEventListener('vk-executed', ({ detail }) => attempted.delete(detail.document.id))

/**
 * Asks the user for the payload of an action. Only applying a payment requires a payload: the amount. Resolves with null
 * when the user cancels, and with undefined if the action needs no payload.
 */
export async function collectPayload(action: DocumentAction, document: Document): Promise<unknown> {
  if (action.code !== 'trade.apply_payment') return undefined
  const { id } = document
  const amount = await askAmount(action, attempted.get(id) ?? paymentFieldsOf(document).amount)
  if (amount === null) return null
  attempted.set(id, amount)
  return { amount }
}

function askAmount({ label, description }: DocumentAction, suggested: string): Promise<string | null> {
  const dialog = createDialog(label)
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const input = () => dialog.querySelector('input')
  const show = (error: string | null) => render(content(error), dialog)
  const submit = (event: Event) => {
    event.preventDefault()
    const amount = tidyAmount(input()?.value ?? '')
    if (!isAmount(amount) || !/[1-9]/.test(amount)) {
      show('Enter an amount above zero, such as 12.50.')
      input()?.focus()
      return
    }
    resolve(amount)
    dialog.close()
  }
  const content = (error: string | null) => html`<form class="stack" novalidate @submit=${submit}>
    <h2>${label}</h2>
    <p class="muted">${description}</p>
    <div class="field">
      <label for="amount">Amount</label>
      <input
        class="input number"
        id="amount"
        inputmode="decimal"
        autocomplete="off"
        autofocus
        value=${amountText(suggested)}
        aria-invalid=${error === null ? nothing : 'true'}
        aria-describedby=${error === null ? nothing : 'amount-error'}
      />
      ${error === null ? nothing : html`<p class="field-error" id="amount-error">${error}</p>`}
    </div>
    <div class="dialog-foot">
      <button type="button" class="button" @click=${() => dialog.close()}>Cancel</button>
      <button class="button primary">${label}</button>
    </div>
  </form>`
  show(null)
  dialog.addEventListener('close', () => resolve(null))
  dialog.showModal()
  input()?.select()
  return promise
}
