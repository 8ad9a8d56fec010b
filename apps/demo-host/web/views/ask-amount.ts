import type { Document, DocumentAction } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { html, nothing, render } from 'lit'
import { differenceOf, loadPaymentBalance } from '../data/balance.ts'
import { paymentFieldsOf } from '../data/fields.ts'
import { amountText, isAmount, tidyAmount } from '../form/amounts.ts'
import { createDialog } from './page-dialog.ts'

/**
 * Asks the user for the payload of an action. Resolves with null when the user cancels, and with undefined if the action needs no
 * payload.
 */
export type CollectPayload = (action: DocumentAction, document: Document) => Promise<unknown>

/** Returns the function that asks the user of a session for payloads. Only applying a payment requires one: the amount. */
export function openAmounts({ client, signal }: Session): CollectPayload {
  /** The amounts of attempts that have not succeeded, by the id of the payment. The next dialog shows them again. */
  const attempted = new Map<string, string>()
  addEventListener('vk-executed', ({ detail }) => attempted.delete(detail.document.id), { signal })

  /** Returns the amount of the last attempt if it can be applied, or else the largest amount that can be applied. */
  const suggestedFor = async (document: Document): Promise<string> => {
    const balance = await loadPaymentBalance(client, document.id, { signal }).catch(() => null)
    const most = balance?.applicableAmount ?? paymentFieldsOf(document).amount
    const last = attempted.get(document.id)
    return last === undefined || differenceOf(most, last).startsWith('-') ? most : last
  }

  return async (action, document) => {
    if (action.code !== 'trade.apply_payment') return undefined
    const amount = await askAmount(action, suggestedFor(document))
    if (amount === null) return null
    attempted.set(document.id, amount)
    return { amount }
  }
}

/** Shows the dialog at once, and fills in the suggested amount when it is known, unless the user has typed. */
function askAmount(
  { label, description }: DocumentAction,
  suggested: Promise<string>,
): Promise<string | null> {
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
  void suggested.then((amount) => {
    const field = input()
    if (field === null || field.value !== '') return
    show(null)
    field.value = amountText(amount)
    field.select()
  })
  return promise
}
