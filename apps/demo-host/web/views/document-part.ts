import type { CallOptions, DocumentReference } from '@vertical-kit/ui-client'
import type { PropertyValues } from 'lit'
import { keepCurrent } from '../data/keep-current.ts'
import { LightElement } from '../light-element.ts'
import type { Workspace } from '../workspace.ts'

/**
 * A part of a document's page that loads its own data. Loads it again when the document changes, and when the user or the network
 * returns.
 */
export abstract class DocumentPart<T> extends LightElement {
  static override properties = {
    workspace: { attribute: false },
    typeCode: {},
    documentId: {},
    updatedAtUtc: {},
    loaded: { state: true },
  }
  declare workspace: Workspace
  declare typeCode: string
  declare documentId: string
  /** The time of the document's last change. */
  declare updatedAtUtc: string
  /** Null until the data of this document is loaded. After a failure, the last known data stays. */
  declare protected loaded: T | null
  #shown = new AbortController()

  constructor() {
    super()
    this.loaded = null
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#shown = new AbortController()
    const signal = AbortSignal.any([this.workspace.session.signal, this.#shown.signal])
    // The page passes each change of the document as another `updatedAtUtc`.
    keepCurrent(this.workspace.session, signal, {
      concerns: () => false,
      load: (wanted) => this.#load(wanted),
    })
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#shown.abort()
  }

  /** Requests the data of the document. */
  protected abstract request(document: DocumentReference, options: CallOptions): Promise<T>

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('documentId')) this.loaded = null
    if (['workspace', 'documentId', 'updatedAtUtc'].some((name) => changed.has(name)))
      void this.#load(this.workspace.session.signal)
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { typeCode, documentId: id, updatedAtUtc } = this
    const loaded = await this.request({ typeCode, id }, { signal }).catch(() => null)
    const isCurrent = this.documentId === id && this.updatedAtUtc === updatedAtUtc
    if (isCurrent && loaded !== null) this.loaded = loaded
  }
}
