import { html, nothing, type TemplateResult } from 'lit'
import type { KitError } from '../../client/kit-error.ts'
import type { AuditEvent } from '../../wire/audit.ts'
import { formatDay, formatTime } from '../parts/format.ts'
import { downloadIcon } from '../parts/icons.ts'
import { errorText, type Texts } from '../texts.ts'
import { eventDetails } from './event-details.ts'
import { formatValue, isLong, readable } from './readable.ts'

export interface EventRow {
  readonly event: AuditEvent
  /** Whether the event is the first event of its day in the list. */
  readonly isFirstOfDay: boolean
  /** The keys of the changes that are shown in full. A key consists of the event's id and the index of the change. */
  readonly expanded: ReadonlySet<string>
  readonly downloadError: KitError | null
  readonly texts: Texts
  readonly toggle: (key: string) => void
  readonly download: (attachmentId: string) => void
}

/** Renders one event: the action, its actor and time, the details, and the changes. */
export function eventRow(row: EventRow): TemplateResult {
  const { event, isFirstOfDay, downloadError } = row
  const texts = row.texts.audit
  const { actor, actionCode, occurredAtUtc } = event
  return html`<li>
    ${isFirstOfDay ? html`<h3>${formatDay(occurredAtUtc)}</h3>` : nothing}
    <article class="stack">
      <div class="row">
        <div class="grow">
          <p class="what">${texts.actions[actionCode] ?? readable(actionCode)}</p>
          <p class="muted small">
            ${actor === null ? texts.service : html`<bdi title=${actor.email ?? nothing}>${actor.displayName}</bdi>`}
            · <time datetime=${occurredAtUtc}>${formatTime(occurredAtUtc)}</time>
          </p>
        </div>
        ${downloadButton(row)}
      </div>
      ${
        downloadError === null
          ? nothing
          : html`<div class="banner" role="alert"><span>${errorText(downloadError)}</span></div>`
      }
      ${definitions([
        ...eventDetails(event, texts).map(([name, value]) =>
          definition(name, html`<dd dir="auto">${value}</dd>`),
        ),
        ...event.changes.map((_, index) => change(row, index)),
      ])}
    </article>
  </li>`
}

function downloadButton({ event, texts, download }: EventRow): TemplateResult | typeof nothing {
  const { download: file, metadata } = event
  if (file === null) return nothing
  return html`<button
    class="small"
    aria-label=${texts.audit.downloadOf(String(metadata?.['fileName'] ?? ''))}
    @click=${() => download(file.attachmentId)}
  >
    ${downloadIcon} ${texts.audit.download}
  </button>`
}

const definitions = (parts: readonly TemplateResult[]): TemplateResult | typeof nothing =>
  parts.length === 0 ? nothing : html`<dl class="small">${parts}</dl>`

const definition = (name: string, values: TemplateResult): TemplateResult =>
  html`<div><dt class="muted">${name}</dt>${values}</div>`

/** Renders the old and the new value of a field as plain text. */
function change({ event, expanded, texts: { audit }, toggle }: EventRow, index: number): TemplateResult {
  const { fieldPath = '', oldValue, newValue } = event.changes[index] ?? {}
  const [before, after] = [formatValue(oldValue, audit), formatValue(newValue, audit)]
  const key = `${event.id}/${index}`
  const isExpanded = expanded.has(key)
  const valueClass = isExpanded ? 'value' : 'value short'
  return definition(
    audit.fields[fieldPath] ?? readable(fieldPath),
    html`<dd class="change">
        <span class="visually-hidden">${audit.was}</span>
        <span class=${`old ${valueClass}`} dir="auto">${before}</span>
        <span class="after">
          <span class="visually-hidden">${audit.is}</span>
          <span class=${valueClass} dir="auto">${after}</span>
        </span>
      </dd>
      ${
        isLong(before) || isLong(after)
          ? html`<dd>
              <button class="quiet small" aria-expanded=${isExpanded} @click=${() => toggle(key)}>
                ${isExpanded ? audit.showLess : audit.showAll}
              </button>
            </dd>`
          : nothing
      }`,
  )
}
