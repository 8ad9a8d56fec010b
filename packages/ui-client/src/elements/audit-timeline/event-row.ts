import { html, nothing, type TemplateResult } from 'lit'
import type { KitError } from '../../client/kit-error.ts'
import type { TimelineEntry } from '../../stores/audit-timeline.ts'
import { replaceTokens } from '../../stores/mention-text.ts'
import type { AuditEvent, References } from '../../wire/audit.ts'
import type { NavigationTarget } from '../../wire/documents.ts'
import { formatDay, formatTime } from '../parts/format.ts'
import { downloadIcon } from '../parts/icons.ts'
import { errorText, type TextsOf } from '../texts.ts'
import { contentOf } from './content-row.ts'
import { eventDetails } from './event-details.ts'
import { formatValue, isLong, nameOf, readable, readableReference } from './readable.ts'

export interface EntryRow {
  readonly entry: TimelineEntry
  readonly references: References
  /** Whether the row names the object of its event, because the timeline shows several objects. */
  readonly namesObject: boolean
  /** Whether the event is the first event of its day in the list. */
  readonly isFirstOfDay: boolean
  /** The keys of the changes that are shown in full. A key consists of the event's id and the index of the change. */
  readonly expanded: ReadonlySet<string>
  readonly downloadError: KitError | null
  readonly texts: TextsOf<'audit'>
  readonly toggle: (key: string) => void
  readonly download: (attachmentId: string) => void
  readonly linkTo: (target: NavigationTarget, name: TemplateResult) => TemplateResult
}

interface EventRow extends EntryRow {
  readonly event: AuditEvent
}

/** Renders one entry: the action, its actor and time, the details, and the changes or the content. */
export function entryRow(row: EntryRow): TemplateResult {
  const { entry, isFirstOfDay } = row
  const texts = row.texts.audit
  const { actor, occurredAtUtc } = entry
  const content = entry.type === 'audit' ? null : contentOf(entry, texts)
  const event = entry.type === 'audit' ? { ...row, event: entry } : null
  return html`<li part="row">
    ${isFirstOfDay ? html`<h3 part="heading">${formatDay(occurredAtUtc)}</h3>` : nothing}
    <article class="stack">
      <div class="row">
        <div class="grow">
          <p part="row-title" class="what">${content?.what ?? (event === null ? '' : actionName(event.event, row.texts))}</p>
          ${event === null || !row.namesObject ? nothing : objectName(event)}
          <p part="row-details" class="muted small">
            ${actor === null ? texts.service : html`<bdi title=${actor.email ?? nothing}>${actor.displayName}</bdi>`}
            · <time datetime=${occurredAtUtc}>${formatTime(occurredAtUtc)}</time>
          </p>
        </div>
        ${event === null ? nothing : downloadButton(event)}
      </div>
      ${content?.body ?? nothing} ${event === null ? nothing : eventBody(event)}
    </article>
  </li>`
}

const actionName = (
  { actionCode: code, target }: AuditEvent,
  { audit, service: { actions } }: TextsOf<'audit'>,
): string =>
  audit.actions[code] ??
  actions[`${target.typeCode}/${code}`]?.label ??
  actions[code]?.label ??
  readable(code)

function objectName({ event: { target }, references, linkTo }: EventRow): TemplateResult {
  const place = Object.hasOwn(references, target.id) ? references[target.id]?.target : undefined
  const name = html`<bdi>${nameOf(target.id, references) ?? `${readable(target.typeCode)} ${target.id}`}</bdi>`
  return html`<p class="small">${place === undefined || place === null ? name : linkTo(place, name)}</p>`
}

function eventBody(row: EventRow): TemplateResult {
  const { event, downloadError } = row
  return html`${
    downloadError === null
      ? nothing
      : html`<div part="error" class="banner" role="alert"><span>${errorText(downloadError)}</span></div>`
  }
  ${definitions([
    ...eventDetails(event, row.texts.audit).map(([name, value]) =>
      definition(name, html`<dd><bdi>${value}</bdi></dd>`),
    ),
    ...event.changes.map((_, index) => change(row, index)),
  ])}`
}

function downloadButton({ event, texts, download }: EventRow): TemplateResult | typeof nothing {
  const { download: file, metadata } = event
  if (file === null) return nothing
  return html`<button
    part="button"
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
function change(row: EventRow, index: number): TemplateResult {
  const { event, references, expanded, toggle } = row
  const { audit } = row.texts
  const { fieldPath = '', oldValue, newValue } = event.changes[index] ?? {}
  const isNote = fieldPath === 'text' && event.actionCode.startsWith('notes.')
  const [before, after] = [oldValue, newValue].map((value) => {
    const text = formatValue(value, audit, references)
    return isNote ? replaceTokens(text, (id) => nameOf(id, references) ?? audit.someone) : text
  }) as [string, string]
  const hasName = [oldValue, newValue].some((value) => nameOf(value, references) !== undefined)
  const key = `${event.id}/${index}`
  const isExpanded = expanded.has(key)
  const valueClass = isExpanded ? 'value' : 'value short'
  return definition(
    audit.fields[fieldPath] ?? (hasName ? readableReference(fieldPath) : readable(fieldPath)),
    html`<dd part="change" class="change">
        <span class="visually-hidden">${audit.was}</span>
        <span class=${`muted ${valueClass}`} dir="auto">${before}</span>
        <span class="after">
          <span class="visually-hidden">${audit.is}</span>
          <span class=${valueClass} dir="auto">${after}</span>
        </span>
      </dd>
      ${
        isLong(before) || isLong(after)
          ? html`<dd>
              <button part="button" class="quiet small" aria-expanded=${isExpanded} @click=${() => toggle(key)}>
                ${isExpanded ? audit.showLess : audit.showAll}
              </button>
            </dd>`
          : nothing
      }`,
  )
}
