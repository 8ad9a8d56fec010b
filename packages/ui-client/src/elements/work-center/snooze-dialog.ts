import { onDemand } from '../../client/on-demand.ts'
import { DialogOnDemand } from '../parts/dialog-on-demand.ts'

const snoozeForm = onDemand(() => import('./snooze-form.ts'))

/**
 * A dialog in which the user selects the end of a snooze. The question is the title of the task, or the number of tasks, and
 * the answer an instant (ISO 8601, UTC).
 */
export class SnoozeDialog extends DialogOnDemand<string, string> {
  protected override readonly module = snoozeForm
}
