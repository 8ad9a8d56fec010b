import type { KitError } from '@vertical-kit/ui-client'
import { openStore, outcome, type Session, type Store } from '@vertical-kit/ui-client/stores'
import { html, nothing, svg, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ReadableAtom } from 'nanostores'
import type { ReceivablesOverview } from '../../src/trade/receivables/contract.ts'
import { keepCurrent } from '../data/keep-current.ts'
import { formatDay, formatMoney, formatMonth, messageOf, pageTitle } from '../format.ts'
import { icon } from '../icons.ts'
import { LightStoreElement } from '../light-element.ts'
import type { Workspace } from '../workspace.ts'

type DashboardState =
  | { readonly status: 'loading' }
  | { readonly status: 'failed'; readonly error: KitError }
  | { readonly status: 'ready'; readonly overview: ReceivablesOverview }

interface Dashboard extends Store<DashboardState> {
  load(): Promise<void>
}

const title = 'Receivables'

function openDashboard(session: Session, loaded: (overview: ReceivablesOverview) => void): Dashboard {
  const store = openStore<DashboardState>(session, { status: 'loading' })
  const { $state, set, dispose } = store
  const loadOverview = async (signal: AbortSignal) => {
    const asked = session.client.request<ReceivablesOverview>({
      method: 'GET',
      path: '/api/receivables',
      signal,
    })
    const result = await outcome(signal, asked)
    if (result === null) return
    if ('error' in result) {
      // After a temporary failure, the figures stay visible.
      if ($state.get().status !== 'ready') set({ status: 'failed', error: result.error })
      return
    }
    loaded(result.value)
    set({ status: 'ready', overview: result.value })
  }
  const load = keepCurrent(session, store.signal, {
    concerns: () => true,
    mayRefresh: () => true,
    load: loadOverview,
  })
  return { $state, load, dispose }
}

/** The start page: what is overdue, and what was received in the last months. */
export class DemoDashboard extends LightStoreElement<Dashboard> {
  static override properties = { workspace: { attribute: false } }
  declare workspace: Workspace
  protected readonly storeProperties = ['session']

  protected override openStore(session: Session): Dashboard {
    const { customers } = this.workspace.desk
    const dashboard = openDashboard(session, ({ oldest }) => {
      void customers.load(oldest.map(({ customerId }) => customerId))
    })
    void dashboard.load()
    return dashboard
  }

  protected override atomsOf({ $state }: Dashboard): readonly ReadableAtom<unknown>[] {
    return [$state, this.workspace.desk.customers.$known]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this
    if (store === null) return nothing
    const state = store.$state.get()
    return html`<div class="view-head"><h1 tabindex="-1">${title}</h1></div>
      ${
        state.status === 'failed'
          ? html`<div class="card empty" role="alert">
              ${icon('warning')}
              <h2>The overview could not be loaded</h2>
              <p>${messageOf(state.error)}</p>
              <button class="button" @click=${() => void this.retry(store.load)}>Try again</button>
            </div>`
          : this.#cards(state.status === 'ready' ? state.overview : null)
      }`
  }

  protected override updated(): void {
    // At the end of the session, the sign-in page has already set its title.
    if (this.isConnected) document.title = pageTitle(title)
  }

  /** Without an overview, renders placeholders of the same size. */
  #cards(overview: ReceivablesOverview | null): TemplateResult {
    return html`<div class="dashboard" aria-busy=${overview === null}>
      ${chart({
        title: 'Overdue by age',
        column: 'Days overdue',
        bars: overview?.overdue.map((age) => ({
          label: ageLabel(age.fromDays),
          amount: age.amount,
          note: age.invoiceCount === 1 ? '1 invoice' : `${age.invoiceCount} invoices`,
        })) ?? [null, null, null],
      })}
      ${chart({
        title: 'Received by month',
        column: 'Month',
        bars:
          overview?.received.map(({ month, amount }) => ({ label: formatMonth(month), amount, note: '' })) ??
          Array.from({ length: 6 }, () => null),
      })}
      ${this.#oldest(overview)}
    </div>`
  }

  #oldest(overview: ReceivablesOverview | null): TemplateResult {
    const { customers } = this.workspace.desk
    const rows = overview?.oldest ?? []
    return html`<section class="card dashboard-wide" aria-labelledby="oldest">
      <h2 class="dashboard-title" id="oldest">Oldest open invoices</h2>
      ${
        overview !== null && rows.length === 0
          ? html`<p class="dashboard-none">No invoice is overdue.</p>`
          : html`<table class="table list-table" aria-labelledby="oldest">
              <thead>
                <tr>
                  <th scope="col">Number</th>
                  <th scope="col" class="wide">Customer</th>
                  <th scope="col" class="tight">Due date</th>
                  <th scope="col" class="number aside">Outstanding</th>
                </tr>
              </thead>
              <tbody>
                ${repeat(
                  rows,
                  ({ id }) => id,
                  ({ id, number, customerId, dueDate, outstandingAmount }) => html`<tr>
                    <td class="tight"><a href="/sales-invoices/${id}?sort=due"><bdi>${number}</bdi></a></td>
                    <td class="wide"><bdi>${customers.find(customerId)?.name ?? '—'}</bdi></td>
                    <td class="tight late" data-label="Due date"><bdi>${formatDay(dueDate)}</bdi></td>
                    <td class="number aside">${formatMoney(outstandingAmount)}</td>
                  </tr>`,
                )}
              </tbody>
            </table>`
      }
    </section>`
  }
}

interface Bar {
  readonly label: string
  readonly amount: string
  readonly note: string
}

interface Chart {
  readonly title: string
  /** The heading of the first column of the table. */
  readonly column: string
  /** Null is a placeholder. */
  readonly bars: readonly (Bar | null)[]
}

/** Renders amounts as a table. Each row also has a bar, which is hidden from screen readers because it repeats the amount. */
function chart({ title, column, bars }: Chart): TemplateResult {
  const amounts = bars.map((bar) => Number(bar?.amount ?? 0))
  const largest = Math.max(1, ...amounts)
  const id = title.toLowerCase().replaceAll(' ', '-')
  return html`<section class="card" aria-labelledby=${id}>
    <h2 class="dashboard-title" id=${id}>${title}</h2>
    <table class="chart" aria-labelledby=${id}>
      <thead class="visually-hidden">
        <tr><th scope="col">${column}</th><th scope="col">Amount</th></tr>
      </thead>
      <tbody>
        ${bars.map(
          (bar, index) => html`<tr>
            <th scope="row">${bar === null ? html`<span class="bone"></span>` : html`<bdi>${bar.label}</bdi>`}</th>
            <td>
              ${barOf((amounts[index] ?? 0) / largest)}
              <span class="chart-amount">${bar === null ? '' : formatMoney(bar.amount)}</span>
              <bdi class="muted">${bar?.note ?? ''}</bdi>
            </td>
          </tr>`,
        )}
      </tbody>
    </table>
  </section>`
}

/** Renders a bar with a share of the full width. */
const barOf = (share: number): TemplateResult => html`<svg
  class="bar"
  viewBox="0 0 100 8"
  preserveAspectRatio="none"
  aria-hidden="true"
  focusable="false"
>
  ${svg`<rect class="bar-ground" width="100" height="8"/><rect class="bar-share" width=${share * 100} height="8"/>`}
</svg>`

function ageLabel(fromDays: number): string {
  if (fromDays === 1) return '1 to 30 days'
  return fromDays === 31 ? '31 to 60 days' : 'More than 60 days'
}

customElements.define('demo-dashboard', DemoDashboard)
