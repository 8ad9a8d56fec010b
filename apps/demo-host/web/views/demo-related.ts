import type { RelatedDocument, RelatedDocuments } from '@vertical-kit/ui-client'
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { LightElement } from '../light-element.ts'
import { pathOfTarget } from '../navigation-targets.ts'
import type { Workspace } from '../workspace.ts'
import { statusChip } from './status-chip.ts'

/**
 * Links a document to the document from which it was created, and to those that were created from it. Renders nothing until they
 * are loaded, or if there are none.
 */
export class DemoRelated extends LightElement {
  static override properties = {
    workspace: { attribute: false },
    typeCode: {},
    documentId: {},
    updatedAtUtc: {},
    related: { state: true },
  }
  declare workspace: Workspace
  declare typeCode: string
  declare documentId: string
  /** The time of the document's last change. An action that creates a document changes it. */
  declare updatedAtUtc: string
  declare private related: RelatedDocuments | null

  constructor() {
    super()
    this.related = null
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('documentId')) this.related = null
    if (['workspace', 'documentId', 'updatedAtUtc'].some((name) => changed.has(name))) void this.#load()
  }

  async #load(): Promise<void> {
    const { client, session } = this.workspace
    const { typeCode, documentId: id, updatedAtUtc } = this
    const related = await client.documents
      .related({ typeCode, id }, { signal: session.signal })
      .catch(() => null)
    if (this.documentId === id && this.updatedAtUtc === updatedAtUtc) this.related = related
  }

  protected override render(): TemplateResult | typeof nothing {
    const { derivedFrom = [], derived = [] } = this.related ?? {}
    if (derivedFrom.length + derived.length === 0) return nothing
    return html`<section class="card section entry-stack" aria-labelledby="related">
      <h2 id="related">Related documents</h2>
      <dl class="fields">
        ${group('Created from', derivedFrom)} ${group('Created from this document', derived)}
      </dl>
    </section>`
  }
}

function group(name: string, documents: readonly RelatedDocument[]): TemplateResult | typeof nothing {
  if (documents.length === 0) return nothing
  return html`<div class="field">
    <dt class="label">${name}</dt>
    ${documents.map(({ typeCode, id, display, status }) => {
      const path = pathOfTarget({ code: typeCode, parameters: { documentId: id } })
      return html`<dd class="value row">${path === null ? display : html`<a href=${path}>${display}</a>`} ${statusChip(status)}</dd>`
    })}
  </div>`
}

customElements.define('demo-related', DemoRelated)
