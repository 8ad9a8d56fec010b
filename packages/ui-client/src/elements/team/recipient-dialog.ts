import type { KitError } from '../../client/kit-error.ts'
import { onDemand } from '../../client/on-demand.ts'
import type { RecipientsOutcome } from '../../stores/team-tasks.ts'
import type { TaskRecipients } from '../../wire/team.ts'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import { DialogOnDemand } from '../parts/dialog-on-demand.ts'
import { itemText } from '../texts.ts'
import { isFullList } from './full-list.ts'

/** The user or role that receives the task, and the comment. */
export interface RecipientChoice {
  readonly to: { readonly userId: string } | { readonly roleCode: string }
  /** The name of the recipient, as the dialog shows it. */
  readonly name: string
  readonly comment: string | null
}

/** The question of the dialog. */
export interface RecipientQuestion {
  readonly title: string
  /** The titles of the tasks. */
  readonly titles: readonly string[]
  readonly recipients: TaskRecipients
  /** The initial comment. It is null if the recipient receives no comment. */
  readonly comment: string | null
  /** Finds other users by a part of their names. It is null if all users are in `recipients`. */
  readonly find: ((q: string) => Promise<Outcome>) | null
  /** The error of the last search. */
  readonly error: KitError | null
}

/** The recipients of several tasks. They can be few, although there are more users than the list of each task contains. */
export interface CommonRecipients extends TaskRecipients {
  readonly hasMoreUsers: boolean
}

type Outcome = RecipientsOutcome | { readonly value: CommonRecipients }

const recipientForm = onDemand(() => import('./recipient-form.ts'))

/** A dialog in which the user chooses who receives one or more tasks. */
export class RecipientDialog extends DialogOnDemand<RecipientQuestion, RecipientChoice> {
  protected override readonly module = recipientForm
  /** A new object for each question. */
  #asked = {}

  override withdraw(): void {
    this.#asked = {}
    super.withdraw()
  }

  /**
   * Loads the recipients of tasks, and asks for one. Resolves with null if they cannot be loaded: the store has the
   * error. Also resolves with null if another question follows, or the dialog is withdrawn, while they load.
   *
   * @param recipients resolves with all recipients, or finds users by a part of their names
   */
  async askFor(
    tasks: readonly WorkCenterItem[],
    question: Pick<RecipientQuestion, 'title' | 'comment'>,
    recipients: (q?: string) => Promise<Outcome>,
  ): Promise<RecipientChoice | null> {
    this.withdraw()
    const asked = this.#asked
    const result = await recipients()
    if (this.#asked !== asked || result === null || 'error' in result) return null
    const { value } = result
    const hasMoreUsers = 'hasMoreUsers' in value ? value.hasMoreUsers : isFullList(value.users)
    const find = hasMoreUsers ? recipients : null
    const titles = tasks.map((task) => itemText(task.titleText, task.title))
    return this.ask({ ...question, titles, recipients: value, find, error: null })
  }
}
