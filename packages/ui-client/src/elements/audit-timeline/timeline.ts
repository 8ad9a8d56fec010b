import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import { type AuditTimelineStore, auditTimelineStore } from '../../stores/audit-timeline.ts'
import type { AuditEvent } from '../../wire/audit.ts'
import type { BusinessObjectReference } from '../../wire/business-objects.ts'
import { formatDay } from '../parts/format.ts'
import { listBody } from '../parts/list-body.ts'
import { startDownload } from '../parts/start-download.ts'
import { StoreElement } from '../store-element.ts'
import { targetProperty } from '../target-property.ts'
import { type EventRow, eventRow } from './event-row.ts'
import { timelineStyle } from './timeline-style.ts'

/**
 * `<vk-audit-timeline>`: the audit events of one object, newest first and grouped by day, with their actors, old and new
 * values, and files. Values are shown as plain text, never as markup.
 */
export class AuditTimeline extends StoreElement<AuditTimelineStore> {
  static override styles = [StoreElement.styles, timelineStyle]
  static override properties: PropertyDeclarations = {
    target: targetProperty,
    expanded: { attribute: false, state: true },
    downloadFailure: { attribute: false, state: true },
  }
  /** The object with the audit events. */
  declare target: BusinessObjectReference | undefined
  declare expanded: ReadonlySet<string>
  declare downloadFailure: { readonly eventId: string; readonly error: KitError } | null
  protected readonly storeProperties = ['session', 'target']

  constructor() {
    super()
    this.expanded = new Set()
    this.downloadFailure = null
  }

  protected openStore(session: Session): AuditTimelineStore | null {
    this.expanded = new Set()
    this.downloadFailure = null
    if (this.target === undefined) return null
    const store = auditTimelineStore(session, this.target)
    void store.load()
    return store
  }

  protected atomsOf(store: AuditTimelineStore): readonly ReadableAtom<unknown>[] {
    return [store.$list]
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    if (store === null) return nothing
    const list = store.$list.get()
    const firstOfDay = firstOfEachDay(list.items)
    return html`<section aria-label=${texts.audit.title}>
      ${listBody({
        list,
        label: texts.audit.title,
        row: (event) => this.#row(store, { event, isFirstOfDay: firstOfDay.has(event.id) }),
        empty: html`<p>${texts.audit.empty}</p>`,
        load: () => void store.load(),
        loadMore: () => void store.loadMore(),
      })}
    </section>`
  }

  #row(store: AuditTimelineStore, row: Pick<EventRow, 'event' | 'isFirstOfDay'>): TemplateResult {
    const { downloadFailure } = this
    const { event } = row
    return eventRow({
      ...row,
      expanded: this.expanded,
      downloadError: downloadFailure?.eventId === event.id ? downloadFailure.error : null,
      texts: this.texts,
      toggle: (key) => {
        const expanded = new Set(this.expanded)
        if (!expanded.delete(key)) expanded.add(key)
        this.expanded = expanded
      },
      download: (attachmentId) => void this.#download(event.id, attachmentId, store),
    })
  }

  async #download(eventId: string, attachmentId: string, store: AuditTimelineStore): Promise<void> {
    this.downloadFailure = null
    const download = await store.download(attachmentId)
    if (download === null) return
    if ('error' in download) this.downloadFailure = { eventId, error: download.error }
    else startDownload(download.url)
  }
}

function firstOfEachDay(events: readonly AuditEvent[]): ReadonlySet<string> {
  const days = events.map(({ occurredAtUtc }) => formatDay(occurredAtUtc))
  return new Set(events.filter((_, index) => days[index] !== days[index - 1]).map(({ id }) => id))
}
