import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ReadableAtom } from 'nanostores'
import type { Session } from '../../session/session.ts'
import { type DocumentTasksStore, documentTasksStore } from '../../stores/document-tasks.ts'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import type { CollectPayload } from '../document-actions/collect-payload.ts'
import type { TakeAction } from '../document-actions/take-action.ts'
import { type ElementProperties, optional } from '../element-property.ts'
import { StoreElement } from '../store-element.ts'
import { itemText } from '../texts.ts'
import { primaryAction } from './primary-action.ts'
import { workCenterEnglish } from './texts.ts'

/**
 * The user's open tasks about a document, with a button for their primary actions. Renders nothing without a task.
 *
 * @tag vk-your-tasks
 * @fires {CustomEvent<DoneDetail>} vk-done - The user has changed something.
 * @fires {CustomEvent<ExecutionResult>} vk-executed - An action has been executed.
 * @csspart button - Each button.
 * @csspart button-danger - The buttons of dangerous actions. They are also a `button`.
 * @csspart button-primary - The main buttons. They are also a `button`.
 * @csspart dialog - Each dialog.
 * @csspart error - An error message.
 * @csspart field - Each text field and list of choices.
 * @csspart heading - Each heading.
 * @csspart list - The list of rows.
 * @csspart notice - A message that is no error.
 * @csspart row - Each row.
 */
export class YourTasks extends StoreElement<DocumentTasksStore, 'workCenter'> {
  static override properties: ElementProperties = {
    documentType: { attribute: 'document-type', accept: optional },
    documentId: { attribute: 'document-id', accept: optional },
    collectPayload: { attribute: false, accept: optional },
  }
  /** The type code of the document. */
  declare documentType: string | undefined
  /** The id of the document. */
  declare documentId: string | undefined
  /** Called before the primary action of a task. */
  declare collectPayload: CollectPayload | undefined
  protected override readonly english = workCenterEnglish
  protected readonly storeProperties = ['session', 'documentType', 'documentId']
  #shown: readonly WorkCenterItem[] = []

  protected openStore(session: Session): DocumentTasksStore | null {
    const { documentType: typeCode, documentId: id } = this
    this.#shown = []
    if (typeCode === undefined || id === undefined) return null
    const store = documentTasksStore(session, { typeCode, id })
    void store.load()
    return store
  }

  protected atomsOf(store: DocumentTasksStore): readonly ReadableAtom<unknown>[] {
    return [store.$state]
  }

  protected override render(): TemplateResult | typeof nothing {
    const open = this.store?.$state.get().tasks ?? []
    // The server completes a task before the answer of its action arrives.
    const executing = this.#shown.filter(
      (task) => !open.some(({ id }) => id === task.id) && this.#isExecuting(task),
    )
    const tasks = [...executing, ...open]
    this.#shown = tasks
    if (tasks.length === 0) return nothing
    return html`<ul
      part="list"
      class="stack"
      aria-label=${this.texts.workCenter.yourTasks}
      @vk-executed=${() => this.requestUpdate()}
    >
      ${repeat(
        tasks,
        ({ id }) => id,
        (task) => this.#task(task),
      )}
    </ul>`
  }

  #isExecuting({ id }: WorkCenterItem): boolean {
    const action = this.renderRoot.querySelector<TakeAction>(`li[data-id="${id}"] vk-take-action`)
    return action?.isExecuting() === true
  }

  #task(task: WorkCenterItem): TemplateResult {
    const { session, collectPayload } = this
    return html`<li part="row" class="banner warning" data-id=${task.id}>
      <bdi>${this.texts.workCenter.yourTask(itemText(task.titleText, task.title))}</bdi>
      ${primaryAction(task, { session, collectPayload, texts: this.texts.workCenter })}
    </li>`
  }
}
