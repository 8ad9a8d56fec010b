import type { Tx } from '@vertical-kit/core-audit/database'
import type { ActionExecution, DocumentState, Fields, LifecycleSteps } from '@vertical-kit/document-actions'
import type { DisabledReason } from '@vertical-kit/document-actions/contract'
import { tradeDocumentStore } from '../documents/document-store.ts'
import type { DocumentType } from '../documents/document-types.ts'
import { reversePostings } from '../ledger/commands/reverse-postings.ts'
import { writePosting } from '../ledger/commands/write-posting.ts'
import type { Posting } from '../ledger/posting.ts'
import { loadEffects } from '../ledger/queries/load-effects.ts'
import { postReasons } from './policy.ts'

/** What all types of the vertical share: their store, and how their effects on the books are loaded. */
export const bookedType = <F extends Fields>({ code, plural, fields }: DocumentType<F>) => ({
  ...{ typeCode: code, plural, fields, loadEffects },
  store: tradeDocumentStore,
})

/** How a type of document is in the books. */
export interface BookedLifecycle<F extends Fields, Facts> {
  /** What posting writes. Pure; asked before it can be posted, too. */
  readonly postingOf: (document: DocumentState<F>) => Posting
  /** What speaks against posting it; {@link postReasons} when absent. */
  readonly postReasons?: (posting: Posting) => readonly DisabledReason[]
  /** What speaks against taking it back; nothing when absent. */
  readonly unpostReasons?: (facts: Facts) => readonly DisabledReason[]
  /** What speaks against posting it again; what speaks against unposting when absent. */
  readonly repostReasons?: (facts: Facts) => readonly DisabledReason[]
  /** What unposting does before everything the document has in the books is reversed. */
  readonly beforeUnpost?: (tx: Tx, execution: ActionExecution<F, Facts>) => Promise<void>
}

/**
 * The whole lifecycle of a document that is in the books: posting writes a posting, unposting reverses what is in
 * effect, posting again does both.
 */
export function bookedLifecycle<F extends Fields, Facts>(
  rules: BookedLifecycle<F, Facts>,
): LifecycleSteps<F, Facts> {
  const { postingOf, unpostReasons = () => [], repostReasons = unpostReasons } = rules
  const reasonsToPost = rules.postReasons ?? postReasons
  return {
    post: {
      disabledReasons: (_facts, document) => reasonsToPost(postingOf(document)),
      async handle(tx, execution) {
        await writePosting(tx, { ...execution, actionCode: 'post' }, postingOf(execution.document))
        return undefined
      },
    },
    unpost: {
      disabledReasons: unpostReasons,
      async handle(tx, execution) {
        await rules.beforeUnpost?.(tx, execution)
        await reversePostings(tx, { ...execution, actionCode: 'unpost' })
        return undefined
      },
    },
    repost: {
      disabledReasons: repostReasons,
      async handle(tx, execution) {
        const cause = { ...execution, actionCode: 'repost' }
        // Sent together, run in this order: what is reversed is what was there before.
        await Promise.all([
          reversePostings(tx, cause),
          writePosting(tx, cause, postingOf(execution.document)),
        ])
        return undefined
      },
    },
    mark_for_deletion: {},
    unmark_for_deletion: {},
  }
}
