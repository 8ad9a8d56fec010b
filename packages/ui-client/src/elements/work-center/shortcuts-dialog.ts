import { onDemand } from '../../client/on-demand.ts'
import { DialogOnDemand } from '../parts/dialog-on-demand.ts'

const shortcutsList = onDemand(() => import('./shortcuts-list.ts'))

/** A dialog that lists the keyboard shortcuts. */
export class ShortcutsDialog extends DialogOnDemand<true, never> {
  protected override readonly module = shortcutsList
}
