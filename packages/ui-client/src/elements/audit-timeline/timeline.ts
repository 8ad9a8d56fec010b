import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { ReadableAtom } from 'nanostores'
import type { KitError } from '../../client/kit-error.ts'
import type { Session } from '../../session/session.ts'
import {
  type AuditTimelineStore,
  auditTimelineStore,
  type TimelineEntry,
} from '../../stores/audit-timeline.ts'
import type { ListState } from '../../stores/paged-list.ts'
import type { BusinessObjectReference } from '../../wire/business-objects.ts'
import { type ElementProperties, optional, typeOf } from '../element-property.ts'
import { isOtherTarget } from '../is-other-target.ts'
import { formatDay } from '../parts/format.ts'
import { listBody } from '../parts/list-body.ts'
import { saveFile } from '../parts/save-file.ts'
import { startDownload } from '../parts/start-download.ts'
import { StoreElement } from '../store-element.ts'
import { errorText } from '../texts.ts'
import { type EntryRow, entryRow } from './event-row.ts'
import { filterBar, toTimelineFilters } from './filter-bar.ts'
import type { ShownTimelineFilters } from './shown-timeline.ts'
import { auditEnglish } from './texts.ts'
import { timelineStyle } from './timeline-style.ts'

/**
 * The audit events of one object, newest first and grouped by day, with their actors, old and new values, and files.
 * Its filters also show notes, files and tasks, and technical entries such as the start of an upload. With `allObjects`, it
 * shows the audit log of all objects. Values are shown as plain text, never as markup.
 *
 * @tag vk-audit-timeline
 * @fires {CustomEvent<NavigationTarget>} vk-navigate - The user opens a place. The page decides how.
 * @fires {CustomEvent<ShownTimeline>} vk-view-changed - The user has selected other filters.
 * @slot heading - A heading above the content.
 * @slot actions - Your own buttons and fields in the toolbar.
 * @slot empty - Replaces the text of an empty list.
 * @csspart button - Each button.
 * @csspart change - The old and the new value of a field.
 * @csspart empty - The text of an empty list.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart heading - Each heading.
 * @csspart link - Each link, and each button that looks like a link.
 * @csspart list - The list of rows.
 * @csspart loading - The placeholder of content that is loading.
 * @csspart row - Each row.
 * @csspart row-details - The details below the name of a row.
 * @csspart row-title - The name of a row.
 * @csspart text - The text of a note.
 * @csspart toolbar - Search, filters, order and buttons for the whole list.
 */
export class AuditTimeline extends StoreElement<AuditTimelineStore, 'audit'> {
  static override styles = [StoreElement.styles, timelineStyle]
  static override properties: ElementProperties = {
    target: { attribute: false, hasChanged: isOtherTarget, accept: optional },
    allObjects: { type: Boolean, attribute: 'all-objects' },
    filters: {
      attribute: false,
      hasChanged: (one, other) => JSON.stringify(one) !== JSON.stringify(other),
      accept: typeOf({}),
    },
    exporting: { attribute: false, state: true },
    expanded: { attribute: false, state: true },
    downloadFailure: { attribute: false, state: true },
  }
  /** The object with the audit events. */
  declare target: BusinessObjectReference | undefined
  /** Shows the audit log of all objects, for users with `system.audit.view`, instead of a target. */
  declare allObjects: boolean
  /**
   * The selected filters. Only the audit log of all objects has filters for codes, and only an object has one for types of entries.
   *
   * @default {}
   */
  declare filters: ShownTimelineFilters
  /** The state of the export: in progress, its error, or null. */
  declare protected exporting: 'busy' | KitError | null
  declare protected expanded: ReadonlySet<string>
  declare protected downloadFailure: { readonly eventId: string; readonly error: KitError } | null
  /** The codes of all events that were shown, so that another filter can be chosen from them. */
  readonly #codes = { actionCode: new Set<string>(), typeCode: new Set<string>() }
  protected override readonly english = auditEnglish
  protected readonly storeProperties = ['session', 'target', 'allObjects']

  constructor() {
    super()
    this.allObjects = false
    this.exporting = null
    this.expanded = new Set()
    this.downloadFailure = null
  }

  protected openStore(session: Session): AuditTimelineStore | null {
    this.expanded = new Set()
    this.downloadFailure = null
    this.exporting = null
    for (const codes of Object.values(this.#codes)) codes.clear()
    const target = this.allObjects ? null : this.target
    return target === undefined ? null : auditTimelineStore(session, target)
  }

  protected atomsOf(store: AuditTimelineStore): readonly ReadableAtom<unknown>[] {
    return [store.$list, store.$references, store.$people]
  }

  protected override willUpdate(changed: PropertyValues): void {
    const before = this.store
    super.willUpdate(changed)
    // The filters of another user or object do not stay, unless the page selects them.
    const isOther = this.storeProperties.some((name) => changed.get(name) !== undefined)
    if (isOther && !changed.has('filters')) this.filters = {}
    if (this.store !== before || changed.has('filters'))
      void this.store?.filter(toTimelineFilters(this.filters))
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, texts } = this
    if (store === null) return nothing
    const list = this.#shownOf(store.$list.get())
    const firstOfDay = firstOfEachDay(list.items)
    const isFiltered = Object.values(this.filters).some((value) => value !== undefined)
    return html`<section aria-label=${texts.audit.title}>
      <slot name="heading"></slot>
      ${this.#filterBar(store)}
      ${listBody({
        list,
        label: texts.audit.title,
        row: (entry) => this.#row(store, { entry, isFirstOfDay: firstOfDay.has(entry.id) }),
        empty: html`<p>${isFiltered ? texts.audit.noMatch : texts.audit.empty}</p>`,
        isFiltered,
        load: () => void store.load(),
        loadMore: () => void store.loadMore(),
      })}
    </section>`
  }

  /** Returns the changes of an object without technical entries, unless all are technical. */
  #shownOf(list: ListState<TimelineEntry>): ListState<TimelineEntry> {
    if (this.allObjects || this.filters.type !== undefined) return list
    const items = list.items.filter((entry) => !isTechnical(entry))
    return items.length === 0 ? list : { ...list, items }
  }

  #filterBar(store: AuditTimelineStore): TemplateResult {
    const { filters, exporting, texts } = this
    const codes = this.#codes
    for (const entry of store.$list.get().items) {
      if (entry.type !== 'audit') continue
      codes.actionCode.add(entry.actionCode)
      codes.typeCode.add(entry.target.typeCode)
    }
    return html`${filterBar({
      ...{ filters, isSearch: this.allObjects, people: store.$people.get(), codes, texts: texts.audit },
      isExporting: exporting === 'busy',
      change: (next) => {
        this.filters = next
        this.tell('vk-view-changed', { filters: next })
      },
      export: () => void this.#export(store),
    })}
    ${
      exporting === null || exporting === 'busy'
        ? nothing
        : html`<div part="error" class="banner" role="alert"><span>${errorText(exporting)}</span></div>`
    }`
  }

  async #export(store: AuditTimelineStore): Promise<void> {
    this.exporting = 'busy'
    const result = await store.export('csv')
    if (this.store !== store) return
    this.exporting = result !== null && 'error' in result ? result.error : null
    const name = this.allObjects ? 'audit' : `audit-${this.target?.typeCode}-${this.target?.id}`
    if (result !== null && 'file' in result) saveFile(result.file, `${name}.csv`)
  }

  #row(store: AuditTimelineStore, row: Pick<EntryRow, 'entry' | 'isFirstOfDay'>): TemplateResult {
    const { downloadFailure } = this
    const { entry: event } = row
    return entryRow({
      ...row,
      references: store.$references.get(),
      namesObject: this.allObjects,
      linkTo: (target, name) => this.linkTo(target, name),
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
    const fail = (error: KitError) => {
      this.downloadFailure = { eventId, error }
    }
    if ('error' in download) fail(download.error)
    else startDownload(download.url, fail)
  }
}

/** The kit's actions that change nothing for the readers of an object. */
const technicalActions = new Set([
  'attachments.upload_requested',
  'attachments.scan_requested',
  'attachments.upload_expired',
])

const isTechnical = (entry: TimelineEntry): boolean =>
  entry.type === 'audit' && technicalActions.has(entry.actionCode)

function firstOfEachDay(events: readonly TimelineEntry[]): ReadonlySet<string> {
  const days = events.map(({ occurredAtUtc }) => formatDay(occurredAtUtc))
  return new Set(events.filter((_, index) => days[index] !== days[index - 1]).map(({ id }) => id))
}
