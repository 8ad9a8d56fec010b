import type {
  CallOptions,
  DocumentReference,
  RelatedDocument,
  RelatedDocuments,
} from '@vertical-kit/ui-client'
import { html, nothing, type TemplateResult } from 'lit'
import { pathOfTarget } from '../navigation-targets.ts'
import { DocumentPart } from './document-part.ts'
import { statusChip } from './status-chip.ts'

/**
 * Links a document to the document from which it was created, and to those that were created from it. Renders nothing until they
 * are loaded, or if there are none.
 */
export class DemoRelated extends DocumentPart<RelatedDocuments> {
  protected request(document: DocumentReference, options: CallOptions): Promise<RelatedDocuments> {
    return this.workspace.client.documents.related(document, options)
  }

  protected override render(): TemplateResult | typeof nothing {
    const { derivedFrom = [], derived = [] } = this.loaded ?? {}
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
