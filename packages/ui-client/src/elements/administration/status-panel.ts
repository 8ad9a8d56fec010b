import { html, nothing, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type SystemStatusStore, systemStatusStore } from '../../stores/administration/index.ts'
import type { Feature } from '../../wire/features.ts'
import type { HealthReport, HealthStatus } from '../../wire/system.ts'
import { loadFailure } from '../parts/load-failure.ts'
import { groupName } from '../service-texts.ts'
import { StoreElement } from '../store-element.ts'
import { sharedTexts } from '../texts.ts'
import { formatSeconds } from './format-seconds.ts'
import { loadingContent, scrollingTable } from './parts.ts'
import { administrationStyle } from './style.ts'
import { administrationEnglish, currentTexts } from './texts.ts'

const colours: Record<HealthStatus, string> = { Healthy: 'success', Degraded: 'warning', Unhealthy: 'danger' }

/**
 * The health of the service and its parts, the features of the deployment, and the release.
 *
 * @tag vk-status
 * @slot heading - A heading above the content.
 * @csspart badge - A mark of a row, such as its state.
 * @csspart button - Each button.
 * @csspart error - An error message.
 * @csspart heading - Each heading.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart table - Each table.
 */
export class StatusPanel extends StoreElement<SystemStatusStore, 'administration'> {
  static override styles = [StoreElement.styles, administrationStyle]
  protected override readonly english = administrationEnglish
  protected readonly storeProperties = ['session']

  protected openStore(session: Session): SystemStatusStore {
    const store = systemStatusStore(session)
    void store.load()
    return store
  }

  protected atomsOf(store: SystemStatusStore): readonly ReadableAtom<unknown>[] {
    return [store.$state]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this
    if (store === null) return nothing
    const texts = currentTexts()
    const { status, health, features, service, error } = store.$state.get()
    return html`<section class="stack" aria-label=${texts.status}>
      <slot name="heading"></slot>
      ${loadFailure(error, store.load)}
      ${status === 'loading' ? loadingContent() : nothing}
      ${
        health === null
          ? nothing
          : html`<div class="row">
                <h2 part="heading">${texts.health}</h2>
                <span class="grow" role="status">${stateMark(health.status)}</span>
                <button part="button" class="small" @click=${() => void store.load()}>${texts.refresh}</button>
              </div>
              ${healthTable(health)}`
      }
      ${features.length === 0 ? nothing : featureTable(features)}
      ${
        service === null
          ? nothing
          : html`<h2 part="heading">${texts.versions}</h2>
              <p>${texts.release(service.title, service.version)}</p>`
      }
    </section>`
  }
}

const stateMark = (status: HealthStatus): TemplateResult =>
  html`<span part="badge" class="mark ${colours[status]}">${currentTexts().states[status] ?? status}</span>`

const head = (names: readonly string[]): TemplateResult =>
  html`<thead>
    <tr>
      ${names.map((name) => html`<th scope="col">${name}</th>`)}
    </tr>
  </thead>`

function healthTable({ entries }: HealthReport): TemplateResult {
  const texts = currentTexts()
  return scrollingTable(
    texts.health,
    html`<table part="table">
      ${head([texts.part, texts.state, texts.duration, texts.pending, texts.failed, texts.oldest, texts.detail])}
      <tbody>
        ${Object.entries(entries).map(
          ([
            name,
            { status, durationMs, pendingCount, failedCount, oldestPendingAgeSeconds: age, detail },
          ]) => html`<tr>
            <th scope="row">${name}</th>
            <td>${stateMark(status)}</td>
            <td>${durationMs} ms</td>
            <td>${pendingCount ?? '–'}</td>
            <td>${failedCount ?? '–'}</td>
            <td>${age == null ? '–' : formatSeconds(age)}</td>
            <td class="detail">${detail ?? nothing}</td>
          </tr>`,
        )}
      </tbody>
    </table>`,
  )
}

function featureTable(features: readonly Feature[]): TemplateResult {
  const texts = currentTexts()
  return html`<h2 part="heading">${texts.features}</h2>
    ${scrollingTable(
      texts.features,
      html`<table part="table">
        ${head([texts.feature, texts.featureGroup, texts.state])}
        <tbody>
          ${features.map(
            ({ code, displayName, group, enabled }) => html`<tr>
              <th scope="row">${sharedTexts().service.features[code] ?? displayName}</th>
              <td>${groupName(group)}</td>
              <td><span part="badge" class="mark ${enabled ? 'success' : ''}">${enabled ? texts.on : texts.off}</span></td>
            </tr>`,
          )}
        </tbody>
      </table>`,
    )}`
}
