import { onDemand } from '../../client/on-demand.ts'
import { DialogOnDemand } from './dialog-on-demand.ts'

/** A confirmation question. */
export interface Question {
  readonly title: string
  readonly message: string
  readonly confirmLabel: string
  readonly isDangerous?: boolean
  readonly reason?: ReasonField
  /** The expected consequences. Shown below the message as soon as it is known; nothing is shown for an empty list. */
  readonly preview?: Promise<PreviewText | null>
}

/** The expected consequences of an action. */
export interface PreviewText {
  readonly title: string
  readonly lines: readonly string[]
}

/** The field for a required reason. */
export interface ReasonField {
  readonly label: string
  /** The message that is shown for an empty reason. */
  readonly missing: string
  /** The message that is shown for a reason longer than `maxChars`. */
  readonly tooLong: string
  /** The limit in Unicode code points, like in the service. The `maxlength` attribute would count UTF-16 units. */
  readonly maxChars: number
  /** The initial text of the field. */
  readonly value?: string
}

/** The user's answer. `reason` is null if the question has no reason field. */
export interface Answer {
  readonly reason: string | null
}

const askForm = onDemand(() => import('./ask-form.ts'))

/** A confirmation dialog. */
export class AskDialog extends DialogOnDemand<Question, Answer> {
  protected override readonly module = askForm
}
